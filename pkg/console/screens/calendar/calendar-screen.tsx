import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Output } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { useTool } from '../../api/resource.ts';
import { useGo } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { may, workspace } from '../../app/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { type Day, dayOf, daysOfMonth, monthOf, monthWords, startOf } from './days.ts';
import { Month } from './month.tsx';
import { PostDialog } from './post-dialog.tsx';
import { WithoutTime } from './without-time.tsx';
import '../outreach.css';
import './calendar.css';

/** A post that is looked at, and the day to which it is about to be moved. */
interface Chosen {
  contentPostId: string;
  day?: Day | undefined;
}

/** The calendar of posts: `calendar` this month, `calendar/2026-03` another one. */
export default function CalendarScreen({ rest }: ScreenProps) {
  const { workspaceId = '' } = workspace.value ?? {};
  const go = useGo();
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined);
  const today = dayOf(new Date());
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(rest) ? rest : monthOf(today);
  const days = daysOfMonth(month);
  const [first = today, last = today] = [days[0], days.at(-1)];
  const entries = usePages(
    'svc_get_content_calendar',
    {
      workspaceId,
      fromDate: startOf(first).toISOString(),
      toDate: new Date(startOf(last).getTime() + 36 * 3_600_000).toISOString(),
      limit: 100,
    },
    (answer) => answer.entries,
    { on: ['content'] },
  );
  const reload = (): void => entries.resource.reload();
  return (
    <>
      <ScreenHead title="Content">
        <fieldset class="month-steps">
          <legend class="unseen">Month</legend>
          <button
            type="button"
            class="button button-icon"
            aria-label="The month before"
            onClick={() => go('calendar', monthOf(`${month}-01`, -1))}
          >
            <Icon name="left" />
          </button>
          <button type="button" class="button" onClick={() => go('calendar')}>
            Today
          </button>
          <button
            type="button"
            class="button button-icon"
            aria-label="The month after"
            onClick={() => go('calendar', monthOf(`${month}-01`, 1))}
          >
            <Icon name="right" />
          </button>
        </fieldset>
      </ScreenHead>
      <h2 class="month-title" aria-live="polite">
        {monthWords(month)}
      </h2>
      <Loaded of={entries.resource} lines={10}>
        {({ items, first: said }) => (
          <>
            <Month
              days={days}
              month={month}
              today={today}
              entries={items}
              emptyDays={(said as Output<'svc_get_content_calendar'>).emptyDays}
              onOpen={(contentPostId, day) => setChosen({ contentPostId, day })}
            />
            <More of={entries} />
          </>
        )}
      </Loaded>
      <WithoutTime onOpen={(contentPostId) => setChosen({ contentPostId })} />
      {chosen === undefined ? null : (
        <WithAccounts>
          {(accounts) => (
            <PostDialog
              key={chosen.contentPostId}
              contentPostId={chosen.contentPostId}
              toDay={chosen.day}
              accounts={accounts}
              onChanged={reload}
              onClose={() => setChosen(undefined)}
            />
          )}
        </WithAccounts>
      )}
    </>
  );
}

/** Names of the accounts, where the member may see them. */
function WithAccounts({ children }: { children: (names: ReadonlyMap<string, string>) => ComponentChildren }) {
  return may('accounts:read') ? <NamedAccounts>{children}</NamedAccounts> : <>{children(new Map())}</>;
}

function NamedAccounts({ children }: { children: (names: ReadonlyMap<string, string>) => ComponentChildren }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const accounts = useTool('svc_list_network_accounts', { workspaceId, limit: 100 });
  const known = accounts.state.value.data?.networkAccounts ?? [];
  return <>{children(new Map(known.map((one) => [one.networkAccountId, one.displayName ?? ''])))}</>;
}
