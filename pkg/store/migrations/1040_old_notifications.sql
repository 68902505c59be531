-- Notifications are kept for a time: the leader forgets old ones, a part at a time (pkg/store/notifications).
grant delete on outrider.notification to outrider_app;

create index notification_read on outrider.notification (created_at) where read_at is not null;
create index notification_unread on outrider.notification (created_at) where read_at is null;
