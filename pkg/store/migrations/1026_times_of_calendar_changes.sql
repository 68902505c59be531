-- What a calendar's server was asked to tell people lately is counted (app.told_by_server).
create index calendar_change_time on outrider.calendar_change (account_id, created_at);
