SELECT *
FROM sales.transactions
WHERE market = :market
  AND currency_code = :currency
