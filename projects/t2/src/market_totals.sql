SELECT market, count(*) AS n_sales, sum(CAST(amount AS DECIMAL(10, 2))) AS total
FROM sales.transactions
WHERE market = :market
  AND currency_code = :currency
GROUP BY market
