-- Tools say of a lead that is due in a stopped workflow, campaign or workspace what it waits for, also where no executor parks it.
grant execute on function app.flow_stop(text, text, text) to outrider_app;
