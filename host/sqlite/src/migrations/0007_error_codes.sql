-- An error is stored as codes, with the ids by which it is found. Errors of earlier versions could quote what a model's
-- server or an event said, and so what people wrote: their texts are deleted.

UPDATE replies SET error = 'failed in an earlier version, whose words are not kept' WHERE error IS NOT NULL;
UPDATE events SET error = 'failed in an earlier version, whose words are not kept' WHERE error IS NOT NULL;
