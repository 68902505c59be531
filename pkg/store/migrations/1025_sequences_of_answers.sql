-- It takes the sequence and the time of an answer now (pkg/store/calendar/hear_calendar_answer.sql).
drop function if exists app.hear_calendar_answer(text, text, text, text, bigint);
