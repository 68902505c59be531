-- Returns the product time that the transaction said it has (app.now), else real time; epoch ms. For triggers alone:
-- what a statement does is given its time.
create or replace function app.product_now() returns bigint
  language sql stable
  as $$
    select coalesce(
      nullif(current_setting('app.now', true), '')::bigint,
      (extract(epoch from clock_timestamp()) * 1000)::bigint
    )
  $$;

grant execute on function app.product_now() to outrider_definer;
