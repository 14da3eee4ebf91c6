-- Events that took no effect yet, and mentions that are not answered.
SELECT (SELECT COUNT(*) FROM events WHERE state <> 1) + (SELECT COUNT(*) FROM replies WHERE state = 0)
