import { useState } from 'preact/hooks';
import type { Output } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { useTool } from '../../api/resource.ts';
import { workspace } from '../../app/session.ts';
import { Bar } from '../../parts/bar.tsx';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { Diagnosis } from '../../parts/diagnosis.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { count, percent, plainWords } from '../../parts/words.ts';

type Mailbox = Output<'svc_list_provider_accounts'>['providerAccounts'][number];

const TONES: Readonly<Record<Mailbox['status'], Tone>> = {
  connected: 'good',
  paused: 'warn',
  needs_auth: 'bad',
  error: 'bad',
};

/** Mailboxes and calendars, with what each may still send today. */
export function Mailboxes() {
  const { workspaceId = '' } = workspace.value ?? {};
  const accounts = usePages(
    'svc_list_provider_accounts',
    { workspaceId, limit: 50 },
    (answer) => answer.providerAccounts,
    {
      on: ['account', 'warmup'],
    },
  );
  return (
    <Loaded
      of={accounts.resource}
      lines={3}
      empty={{
        when: ({ items }) => items.length === 0,
        show: (
          <Empty icon="mail" title="No mailbox or calendar yet">
            <p>Connect one, and mails and meetings go through it.</p>
          </Empty>
        ),
      }}
    >
      {({ items }) => (
        <>
          {items.map((account) => (
            <MailboxCard key={account.providerAccountId} account={account} />
          ))}
          <More of={accounts} />
          {items.some(({ capabilities }) => capabilities.includes('mail')) ? <Deliverability /> : null}
        </>
      )}
    </Loaded>
  );
}

function MailboxCard({ account }: { account: Mailbox }) {
  const { providerAccountId, email, capabilities, status, timezone, dailyMailLimit, sentToday, isDefault } = account;
  return (
    <article class="card card-body" aria-label={email}>
      <header class="card-head">
        <h3>
          <bdi>{email}</bdi>
        </h3>
        <Chip tone={TONES[status]}>{plainWords(status)}</Chip>
        {isDefault ? <Chip>default</Chip> : null}
      </header>
      <p class="small soft">
        {capabilities.join(', ')} · {timezone} · {account.schedulingStartHour}:00 to {account.schedulingEndHour}:00
      </p>
      {dailyMailLimit === null ? null : (
        <p class="budget">
          <span class="budget-name">
            mails <span class="budget-window">a day</span>
          </span>
          <Bar whole={dailyMailLimit} parts={[{ value: sentToday, tone: 'accent' }]} />
          <span class="budget-numbers">
            <strong>{count(Math.max(0, dailyMailLimit - sentToday))} left</strong> of {count(dailyMailLimit)} ·{' '}
            {count(sentToday)} sent today
          </span>
        </p>
      )}
      {status === 'connected' ? null : (
        <Diagnosis target="provider_account" targetId={providerAccountId} again={status} />
      )}
    </article>
  );
}

/** Whether mails arrive; read when somebody opens it. */
function Deliverability() {
  const [open, setOpen] = useState(false);
  return (
    <details class="more-about" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Do mails arrive?</summary>
      {open ? <Arrival /> : null}
    </details>
  );
}

function Arrival() {
  const { workspaceId = '' } = workspace.value ?? {};
  const found = useTool('svc_get_mail_deliverability', { workspaceId });
  return (
    <Loaded of={found} lines={3}>
      {({ domains, mailboxes, pauses }) => (
        <>
          <ul class="problems">
            {domains.map(({ domain, spf, dkim, dmarc, problems }) => (
              <li key={domain} class={problems.length === 0 ? 'problem' : 'problem problem-warn'}>
                <Icon name={problems.length === 0 ? 'check' : 'warning'} size={16} />
                <span>
                  <strong>{domain}</strong> SPF {spf}, DKIM {dkim}, DMARC {dmarc}. {problems.join(' ')}
                </span>
              </li>
            ))}
            {pauses.map(({ scope, reason }) => (
              <li key={`${scope} ${reason}`} class="problem problem-bad">
                <Icon name="pause" size={16} />
                <span>
                  {scope} is paused: {reason}
                </span>
              </li>
            ))}
          </ul>
          <p class="small soft">
            {mailboxes
              .filter(({ sent }) => sent > 0)
              .map(
                ({ providerAccountId, sent, bounceRate, replyRate }) =>
                  `${providerAccountId}: ${count(sent)} sent, ${rate(bounceRate)} bounced, ${rate(replyRate)} answered`,
              )
              .join(' · ')}
          </p>
        </>
      )}
    </Loaded>
  );
}

const rate = (share: number | null): string => (share === null ? 'too few' : percent(share));
