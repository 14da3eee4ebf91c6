-- An error is kept as codes, with the ids by which it is found. Those of earlier versions could quote what a model's
-- server or an event said, and so what people wrote: their words are not kept.

UPDATE replies SET error = 'failed in an earlier version, whose words are not kept' WHERE error IS NOT NULL;
UPDATE events SET error = 'failed in an earlier version, whose words are not kept' WHERE error IS NOT NULL;
