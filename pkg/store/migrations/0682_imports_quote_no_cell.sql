-- Messages of imports quoted the cell that was no address: it may name somebody who was erased since, and stayed for good.
update outrider.lead_import i set errors = (
    select coalesce(jsonb_agg(e.said || jsonb_build_object('message', regexp_replace(e.said ->> 'message', '^".*" (is no (mail|profile) address)$', '\1'))
      order by e.place), '[]')
    from jsonb_array_elements(i.errors) with ordinality e (said, place))
  where i.errors::text like '% is no %address%';
