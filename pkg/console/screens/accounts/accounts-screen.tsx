import { useState } from 'preact/hooks';
import type { ScreenProps } from '../../app/screen-props.ts';
import { may } from '../../app/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { NoPermission } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { Integrations } from './integrations.tsx';
import { Mailboxes } from './mailboxes.tsx';
import { NetworkAccounts } from './network-accounts.tsx';
import '../outreach.css';
import './accounts.css';

/** Accounts of the network with their budgets, mailboxes and calendars, and what else is connected. */
export default function AccountsScreen(_: ScreenProps) {
  const [connects, setConnects] = useState(false);
  // What was connected is read again by lists that begin anew.
  const [round, setRound] = useState(0);
  return (
    <>
      <ScreenHead title="Accounts">
        {may('integrations:write') ? (
          <button type="button" class="button button-primary" onClick={() => setConnects(true)}>
            <Icon name="plus" /> Connect
          </button>
        ) : null}
      </ScreenHead>
      <section class="part" aria-labelledby="network-title">
        <h2 id="network-title">On the network</h2>
        <NetworkAccounts />
      </section>
      <section class="part" aria-labelledby="mail-title">
        <h2 id="mail-title">Mailboxes and calendars</h2>
        {may('ext_integrations:read') ? (
          <Mailboxes key={round} />
        ) : (
          <NoPermission text={NEEDS('ext_integrations:read')} />
        )}
      </section>
      <section class="part" aria-labelledby="other-title">
        <h2 id="other-title">Other systems</h2>
        {may('integrations:read') ? <Integrations key={round} /> : <NoPermission text={NEEDS('integrations:read')} />}
      </section>
      {connects ? (
        <ConnectDialog
          onConnected={() => setRound((now) => now + 1)}
          onClose={() => {
            setConnects(false);
            setRound((now) => now + 1);
          }}
        />
      ) : null}
    </>
  );
}

const NEEDS = (scope: string): string => `You need the right "${scope}" to see this.`;
