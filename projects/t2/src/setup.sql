-- Sample data: 14 sales in four markets. The amounts came out of a file and are still text.
CREATE SCHEMA IF NOT EXISTS config;
CREATE SCHEMA IF NOT EXISTS sales;

CREATE OR REPLACE TABLE sales.transactions (
  id             INT,
  market         STRING,
  currency_code  STRING,
  amount         STRING,
  sold_at        TIMESTAMP
);

INSERT INTO sales.transactions VALUES
  (1,  'NL', 'EUR', '19.80',  TIMESTAMP '2026-02-02 08:15:00'),
  (2,  'NL', 'EUR', '24.50',  TIMESTAMP '2026-02-04 10:40:00'),
  (3,  'NL', 'EUR', '50.00',  TIMESTAMP '2026-02-09 14:05:00'),
  (4,  'NL', 'EUR', '12.50',  TIMESTAMP '2026-02-16 09:00:00'),
  (5,  'NL', 'EUR', '9.90',   TIMESTAMP '2026-02-23 16:20:00'),
  (6,  'UK', 'GBP', '129.00', TIMESTAMP '2026-02-03 11:11:00'),
  (7,  'UK', 'GBP', '29.70',  TIMESTAMP '2026-02-11 12:30:00'),
  (8,  'UK', 'GBP', '49.50',  TIMESTAMP '2026-02-18 17:45:00'),
  (9,  'UK', 'GBP', '12.50',  TIMESTAMP '2026-02-25 08:05:00'),
  (10, 'US', 'USD', '39.60',  TIMESTAMP '2026-02-06 15:30:00'),
  (11, 'US', 'USD', '99.00',  TIMESTAMP '2026-02-13 18:20:00'),
  (12, 'US', 'USD', '24.50',  TIMESTAMP '2026-02-20 10:00:00'),
  (13, 'DE', 'EUR', '75.00',  TIMESTAMP '2026-02-12 13:25:00'),
  (14, 'DE', 'EUR', '19.80',  TIMESTAMP '2026-02-26 09:10:00');
