# Set defaults for running the notebook outside a job
dbutils.widgets.text("source_table",     "sales.raw_orders",  "Source table")
dbutils.widgets.text("target_table",     "sales.orders",      "Target table")
dbutils.widgets.text("watermark_column", "updated_at",        "Watermark column")
dbutils.widgets.text("last_watermark",   "1970-01-01",        "Last watermark")

source_table     = dbutils.widgets.get("source_table")
target_table     = dbutils.widgets.get("target_table")
watermark_column = dbutils.widgets.get("watermark_column")
last_watermark   = dbutils.widgets.get("last_watermark")

# Read only new rows from the source table
new_rows = spark.table(source_table).filter(
    f"{watermark_column} > '{last_watermark}'"
)

row_count = new_rows.count()
print(f"Copying {row_count} new rows from {source_table}")

if row_count > 0:
    # Append new rows to the target table, creating it if it does not exist
    new_rows.write.format("delta").mode("append").saveAsTable(target_table)

    # Compute the new high-water mark from the rows just written
    from pyspark.sql.functions import max as spark_max
    new_watermark = new_rows.agg(spark_max(watermark_column)).collect()[0][0]

    # Advance the watermark so the next run starts from here
    spark.sql(f"""
        UPDATE config.watermarks
        SET last_watermark = CAST('{new_watermark}' AS TIMESTAMP)
        WHERE source_table = '{source_table}'
    """)

    print(f"Watermark for {source_table} advanced to {new_watermark}")
else:
    print(f"No new rows for {source_table}, watermark unchanged")
