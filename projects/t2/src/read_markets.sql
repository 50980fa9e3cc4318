SELECT market, currency FROM config.markets
