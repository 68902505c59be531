-- Signals about which an agent asked somebody on the day: how many that are is bounded.
alter table outrider.signal_agent_day add column judgements int not null default 0 check (judgements >= 0);
