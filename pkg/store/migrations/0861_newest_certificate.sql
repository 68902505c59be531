-- A hash of the platform names the newest certificate that names it (app.bar_erased_in).
grant update (certificate_id) on outrider.erasure_tombstone to outrider_definer;
