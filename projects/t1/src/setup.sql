-- Sample data: three source tables of a shop, 20 rows in all. Every row says when it was last changed.
CREATE SCHEMA IF NOT EXISTS config;
CREATE SCHEMA IF NOT EXISTS sales;

CREATE OR REPLACE TABLE sales.raw_orders (
  id           INT,
  customer_id  INT,
  product_id   INT,
  quantity     INT,
  amount       DECIMAL(10, 2),
  updated_at   TIMESTAMP
);

INSERT INTO sales.raw_orders VALUES
  (1,  1, 1, 2,  19.80, TIMESTAMP '2026-02-02 08:15:00'),
  (2,  2, 3, 1,  24.50, TIMESTAMP '2026-02-03 10:40:00'),
  (3,  3, 2, 4,  50.00, TIMESTAMP '2026-02-05 14:05:30'),
  (4,  1, 4, 1, 129.00, TIMESTAMP '2026-02-09 09:00:00'),
  (5,  4, 1, 3,  29.70, TIMESTAMP '2026-02-10 16:20:45'),
  (6,  5, 2, 1,  12.50, TIMESTAMP '2026-02-13 11:11:00'),
  (7,  2, 1, 5,  49.50, TIMESTAMP '2026-02-17 12:30:00'),
  (8,  6, 3, 2,  49.00, TIMESTAMP '2026-02-20 17:45:15'),
  (9,  3, 4, 1, 129.00, TIMESTAMP '2026-02-24 08:05:00'),
  (10, 5, 1, 1,   9.90, TIMESTAMP '2026-02-27 15:30:00.250');

CREATE OR REPLACE TABLE sales.raw_customers (
  id          INT,
  name        STRING,
  country     STRING,
  updated_at  TIMESTAMP
);

INSERT INTO sales.raw_customers VALUES
  (1, 'Ana',     'BR', TIMESTAMP '2026-02-01 09:00:00'),
  (2, 'Bram',    'NL', TIMESTAMP '2026-02-01 09:30:00'),
  (3, 'Chloe',   'UK', TIMESTAMP '2026-02-04 13:00:00'),
  (4, 'Dmitri',  'DE', TIMESTAMP '2026-02-10 16:00:00'),
  (5, 'Emma',    'US', TIMESTAMP '2026-02-12 18:20:00'),
  (6, 'Felipe',  'BR', TIMESTAMP '2026-02-20 10:00:00.500');

CREATE OR REPLACE TABLE sales.raw_products (
  id          INT,
  name        STRING,
  price       DECIMAL(10, 2),
  updated_at  TIMESTAMP
);

INSERT INTO sales.raw_products VALUES
  (1, 'Spoon',   9.90, TIMESTAMP '2026-02-01 08:00:00'),
  (2, 'Fork',   12.50, TIMESTAMP '2026-02-01 08:00:00'),
  (3, 'Knife',  24.50, TIMESTAMP '2026-02-15 08:00:00'),
  (4, 'Chair', 129.00, TIMESTAMP '2026-02-18 08:00:00.750');
