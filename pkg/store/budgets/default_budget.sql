-- Default budgets by tier (catalog: defaults.budgets); week -1: no limit of that window, day 0: not allowed. recruiter has those of sales.
create or replace function app.default_budget(p_tier text, p_action text, OUT day int, OUT week int) returns record
  language sql immutable
  as $$
    select coalesce(d.day, 0), coalesce(d.week, -1) from (select 1) one left join (values
      ('*', 'post', 3, -1), ('*', 'search', 30, -1), ('*', 'profile_scrape', 100, -1), ('*', 'mail', 40, -1),
      ('basic', 'connection_request', 15, 80), ('basic', 'connection_request_with_note', 1, 1), ('basic', 'message', 40, 200),
      ('basic', 'inmail', 0, -1), ('basic', 'profile_view', 50, -1), ('basic', 'like', 30, -1), ('basic', 'comment', 10, -1),
      ('basic', 'follow', 15, -1), ('basic', 'endorse', 10, -1), ('basic', 'withdraw_request', 40, -1),
      ('premium', 'connection_request', 20, 100), ('premium', 'connection_request_with_note', 20, 100), ('premium', 'message', 50, 250),
      ('premium', 'inmail', 15, -1), ('premium', 'profile_view', 80, -1), ('premium', 'like', 30, -1), ('premium', 'comment', 15, -1),
      ('premium', 'follow', 20, -1), ('premium', 'endorse', 15, -1), ('premium', 'withdraw_request', 40, -1),
      ('sales', 'connection_request', 25, 150), ('sales', 'connection_request_with_note', 25, 150), ('sales', 'message', 60, 300),
      ('sales', 'inmail', 30, -1), ('sales', 'profile_view', 100, -1), ('sales', 'like', 40, -1), ('sales', 'comment', 15, -1),
      ('sales', 'follow', 25, -1), ('sales', 'endorse', 20, -1), ('sales', 'withdraw_request', 50, -1)
    ) as d (tier, action, day, week) on d.tier in ('*', case p_tier when 'recruiter' then 'sales' else p_tier end) and d.action = p_action
  $$;

grant execute on function app.default_budget(text, text) to outrider_app, outrider_definer, outrider_executor;
