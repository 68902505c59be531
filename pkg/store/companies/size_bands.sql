-- Returns the bands of head counts that a range touches, b:0 (none) to b:8 (10,001 and more), by the sizes of the
-- network (1, 11, 51, 201, 501, 1001, 5001, 10001); null where an end is not known. It is an expression without a
-- call, since each lead that an index finds is checked again.
create or replace function app.size_bands(p_least int, p_most int) returns text[]
  language sql immutable parallel safe
  as $$
    select (array['b:0', 'b:1', 'b:2', 'b:3', 'b:4', 'b:5', 'b:6', 'b:7', 'b:8'])[
      width_bucket(
        p_least,
        array[1, 11, 51, 201, 501, 1001, 5001, 10001]
      ) + 1 : width_bucket(p_most, array[1, 11, 51, 201, 501, 1001, 5001, 10001]) + 1
    ]
  $$;

revoke execute on function app.size_bands(int, int) from public;
grant execute on function app.size_bands(int, int) to outrider_app, outrider_definer, outrider_executor;
