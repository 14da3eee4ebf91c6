-- The model of the newest generation run: its digest, NULL before the first.
ALTER TABLE workspaces ADD COLUMN model_digest TEXT;
