-- The program says which kinds of jobs there are (pkg/tools/jobs/job-handlers.ts) and works on no others: a new kind
-- changes no table.
alter table outrider.background_job drop constraint if exists background_job_kind_check;
