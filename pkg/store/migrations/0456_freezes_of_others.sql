-- An executor reads the freezes that hold its workspace, not whom else the platform has frozen and why.
set local search_path = outrider, app, public;

alter policy executor_freeze_read on send_freeze using (scope = 'platform' or (scope = 'workspace' and target = (select app.workspace()))
  or (scope = 'account' and target in (select app.linked_accounts())));
