-- Which channels may be shown where. `is_open`: what is said there may be shown in other channels. `sees_open`: it may be
-- shown what is said in open channels.
CREATE VIEW channel_audience (channel, workspace, is_open, sees_open) AS
SELECT key, workspace, is_private = 0 AND present = 1, 1 FROM channels;
