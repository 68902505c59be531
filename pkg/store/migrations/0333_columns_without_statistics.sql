-- What no condition looks for is not sorted and counted at each analyze. The tables of a workspace that works are analyzed every
-- few seconds; half of that time for sends, and a fifth for runs, went into documents, texts and lists of budgets.
set local search_path = outrider, app, public;
alter table outrider.send alter column target set statistics 0, alter column evidence set statistics 0, alter column budgets set statistics 0,
  alter column body set statistics 0, alter column error set statistics 0;
alter table outrider.run alter column facts set statistics 0, alter column arms set statistics 0;
