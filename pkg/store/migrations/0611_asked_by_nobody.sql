-- Nobody asks these any more: promises are read in slices, and limits where budgets are opened (app.scaled_limit).
drop function if exists app.promised_accounts(bigint);
drop function if exists app.effective_limit(text, text, jsonb, boolean, int, double precision, int, double precision);
