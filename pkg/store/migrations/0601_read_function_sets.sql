-- Programs of the application's role wait until the functions are their own, too. Apart from the baseline, which is not run where it
-- stands for what is there.
grant select on public.outrider_function_set to outrider_app;
