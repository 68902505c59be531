import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { useTool } from '../../api/resource.ts';
import { workspace } from '../../app/session.ts';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { PauseButton } from '../../parts/pause-button.tsx';
import { Time } from '../../parts/time.tsx';
import { ToldText } from '../../parts/told-text.tsx';
import { count, plainWords } from '../../parts/words.ts';
import { Budgets } from './budgets.tsx';

type Account = Output<'svc_list_network_accounts'>['networkAccounts'][number];

/** Budgets of more accounts than that are read once they are opened. */
const OPEN = 3;

/** Accounts that are linked to the workspace. */
export function NetworkAccounts() {
  const { workspaceId = '' } = workspace.value ?? {};
  const accounts = usePages(
    'svc_list_network_accounts',
    { workspaceId, limit: 50, detail: 'full' },
    (answer) => answer.networkAccounts,
    { on: ['account'] },
  );
  return (
    <Loaded
      of={accounts.resource}
      empty={{
        when: ({ items }) => items.length === 0,
        show: (
          <Empty icon="accounts" title="No account is linked to this workspace">
            <p>An admin of the platform links one after it was connected at the provider: svc_admin_link_account.</p>
          </Empty>
        ),
      }}
    >
      {({ items }) => (
        <>
          {items.map((account) => (
            <AccountCard
              key={account.networkAccountId}
              account={account}
              opened={items.length <= OPEN}
              onChanged={() => accounts.resource.reload()}
            />
          ))}
          <More of={accounts} />
        </>
      )}
    </Loaded>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  connecting: 'plain',
  restricted: 'bad',
  disconnected: 'bad',
};

function AccountCard({ account, opened, onChanged }: { account: Account; opened: boolean; onChanged: () => void }) {
  const [open, setOpen] = useState(opened);
  const { networkAccountId, displayName = '', status = '', tier = '', timezone = '', paused = false } = account;
  const { linkedWorkspaces = 1, lastActionAt, statusSince, profileUrl = '' } = account;
  return (
    <article class="card card-body" aria-label={displayName}>
      <header class="card-head">
        <h3>
          <OutsideLink href={profileUrl}>
            <bdi>{displayName || 'without a name'}</bdi>
          </OutsideLink>
        </h3>
        <Chip tone={TONES[status] ?? 'warn'}>{plainWords(status)}</Chip>
        {paused ? <Chip tone="warn">paused</Chip> : null}
        <PauseButton
          name={displayName}
          paused={paused}
          scope="accounts:write"
          does={(pause) => call('svc_update_network_account_settings', { networkAccountId, paused: pause })}
          said={(pause) =>
            pause ? `${displayName} does nothing more until it is resumed.` : `${displayName} acts again.`
          }
          onChanged={onChanged}
        />
      </header>
      <p class="small soft">
        {tier} · {timezone}
        {linkedWorkspaces > 1 ? ` · shared by ${count(linkedWorkspaces)} workspaces` : ''}
        {lastActionAt ? (
          <>
            {' '}
            · last action <Time at={lastActionAt} />
          </>
        ) : null}
        {status !== 'ok' && statusSince ? (
          <>
            {' '}
            · so since <Time at={statusSince} />
          </>
        ) : null}
      </p>
      <Health networkAccountId={networkAccountId} />
      <details class="more-about" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          Budgets<span class="unseen"> of {displayName}</span>
        </summary>
        {open ? <Budgets networkAccountId={networkAccountId} shared={linkedWorkspaces > 1} name={displayName} /> : null}
      </details>
    </article>
  );
}

/** How well it is, and what to do; nothing where all is well. */
function Health({ networkAccountId }: { networkAccountId: string }) {
  const health = useTool('svc_get_network_account_health', { networkAccountId }, { on: ['account'] });
  return (
    <Loaded of={health} lines={1}>
      {({ score, advice, cooldowns, factors }) => (
        <>
          <p class="small soft">
            Health {count(score)} of 100
            {cooldowns.map(({ until, reason }) => (
              <span key={until}>
                {' '}
                · rests until <Time at={until} />: {reason}
              </span>
            ))}
          </p>
          {advice.length === 0 ? null : (
            <ul class="problems">
              {advice.map((text) => (
                <li key={text} class="problem problem-warn">
                  <Icon name="info" size={16} />{' '}
                  <span>
                    <ToldText text={text} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          {score === 100 ? null : (
            <p class="small soft">
              {factors
                .filter(({ score: part }) => part < 100)
                .map(({ name, score: part }) => `${plainWords(name)} ${count(part)}`)
                .join(' · ')}
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
