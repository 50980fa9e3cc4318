SELECT source_table, target_table, watermark_column, last_watermark
FROM config.watermarks
