import { useSignal } from '@preact/signals';
import { call, type Output } from '../../api/call.ts';
import { type Pages, usePages } from '../../api/pages.ts';
import { countSoon } from '../../app/counts.ts';
import { may, workspace } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Choice } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, FailureLine, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Time } from '../../parts/time.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { kindWords } from './kind-words.ts';
import { linkOf } from './notice-link.ts';

type Notice = Output<'svc_list_notifications'>['notifications'][number];

/** What the member was told, the newest first. */
export function NotificationList() {
  const { workspaceId = '' } = workspace.value ?? {};
  const shown = useSignal<'unread' | 'all'>('unread');
  const asked = { workspaceId, unreadOnly: shown.value === 'unread', detail: 'full' as const, limit: 50 };
  const pages = usePages('svc_list_notifications', asked, ({ notifications }) => notifications, {
    on: ['*'],
  });
  const deed = useDeed();
  const readAll = (): void =>
    deed.run(async () => {
      // Up to the newest that is seen: what comes at this moment is not read.
      const before = pages.resource.state.value.data?.items[0]?.createdAt;
      await call('svc_mark_all_notifications_read', { workspaceId, ...(before ? { before } : {}) });
      pages.resource.reload();
      countSoon();
    });
  const some = pages.resource.state.value.data?.items.some(({ read }) => read === false) === true;
  return (
    <>
      <div class="row notices-head">
        <Choice
          label="Which are shown"
          value={shown.value}
          options={[
            { value: 'unread', label: 'Unread' },
            { value: 'all', label: 'All' },
          ]}
          onValue={(value) => {
            shown.value = value;
          }}
        />
        {some ? (
          <button type="button" class="button" disabled={deed.busy} onClick={readAll}>
            <Icon name="check" size={16} /> Mark all as read
          </button>
        ) : null}
      </div>
      <FailureLine failure={deed.failure} />
      <Loaded
        of={pages.resource}
        lines={8}
        empty={{ when: ({ items }) => items.length === 0, show: <Nothing unread={shown.value === 'unread'} /> }}
      >
        {({ items }) => (
          <ul class="notices card">
            {items.map((notice) => (
              <NoticeLine key={notice.notificationId} notice={notice} pages={pages} />
            ))}
          </ul>
        )}
      </Loaded>
      <More of={pages} />
    </>
  );
}

function Nothing({ unread }: { unread: boolean }) {
  return (
    <Empty icon="bell" title={unread ? 'Nothing is unread' : 'Nothing happened so far'}>
      <p>What reaches you, and how, you choose under “What reaches you”.</p>
    </Empty>
  );
}

function NoticeLine({ notice, pages }: { notice: Notice; pages: Pages<Notice> }) {
  const { notificationId, kind = '', title = '', text = '', data = {}, nextTool, read = true, createdAt = '' } = notice;
  const deed = useDeed();
  const link = linkOf(nextTool, data);
  const mark = (): void => {
    if (read || !may('notifications:write')) return;
    deed.run(async () => {
      await call('svc_mark_notification_read', { notificationId });
      pages.resource.set((known) => ({
        ...known,
        items: known.items.map((one) => (one.notificationId === notificationId ? { ...one, read: true } : one)),
      }));
      countSoon();
    });
  };
  return (
    <li class={read ? 'notice-line' : 'notice-line notice-unread'}>
      <div class="grow">
        <p class="row">
          <strong>
            {link === undefined ? (
              <bdi>{title}</bdi>
            ) : (
              <a href={link} onClick={mark}>
                <bdi>{title}</bdi>
              </a>
            )}
          </strong>
          {read ? null : <span class="unseen">unread</span>}
          <Chip>{kindWords(kind)}</Chip>
        </p>
        {text === '' ? null : (
          <p class="pre">
            <bdi>{text}</bdi>
          </p>
        )}
        <p class="soft small">
          <Time at={createdAt} />
        </p>
        <FailureLine failure={deed.failure} />
      </div>
      {read ? null : (
        <button type="button" class="button button-small button-quiet" disabled={deed.busy} onClick={mark}>
          <Icon name="check" size={16} /> Read<span class="unseen">: {title}</span>
        </button>
      )}
    </li>
  );
}
