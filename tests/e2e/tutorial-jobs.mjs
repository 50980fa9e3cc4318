// The jobs of the tutorials, as `JobScreen.build` makes them by hand.

export const COPY = "src/copy_incremental.py";
export const MARKET = "src/process_market.py";

export const TUTORIAL_1 = {
  job: "Incremental table copy",
  read: "read_watermarks",
  sql: "SELECT source_table, target_table, watermark_column, last_watermark\nFROM config.watermarks",
  loop: "copy_tables",
  nested: {
    name: "copy_incremental",
    type: "Notebook",
    path: COPY,
    parameters: Object.fromEntries(
      ["source_table", "target_table", "watermark_column", "last_watermark"].map((key) => [key, `{{input.${key}}}`]),
    ),
  },
};
const PARAMETERS_2 = { market: "{{input.market}}", currency: "{{input.currency}}" };
export const TUTORIAL_2 = {
  job: "Market Analysis",
  read: "read_markets",
  sql: "SELECT market, currency FROM config.markets",
  loop: "process_markets",
  nested: { name: "run_market_analysis_iteration", type: "Notebook", path: MARKET, parameters: PARAMETERS_2 },
};
const SQL_2 = "SELECT *\nFROM sales.transactions\nWHERE market = :market\n  AND currency_code = :currency";

export const SQL_VARIANT = { ...TUTORIAL_2, nested: { name: TUTORIAL_2.nested.name, type: "SQL", sql: SQL_2, parameters: PARAMETERS_2 } };
