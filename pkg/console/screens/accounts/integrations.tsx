import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { usePages } from '../../api/pages.ts';
import { may, workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { counted, plainWords } from '../../parts/words.ts';

type Integration = Output<'svc_list_integrations'>['integrations'][number];

/** What is connected: CRMs, platforms, webhooks, models, and the connections of mailboxes and calendars. */
export function Integrations() {
  const { workspaceId = '' } = workspace.value ?? {};
  const integrations = usePages('svc_list_integrations', { workspaceId, limit: 50 }, (answer) => answer.integrations, {
    on: ['integration'],
  });
  return (
    <Loaded
      of={integrations.resource}
      lines={3}
      empty={{
        when: ({ items }) => items.length === 0,
        show: <p class="hint">Nothing is connected: no CRM, no webhook, no model of your own.</p>,
      }}
    >
      {({ items }) => (
        <>
          <ul class="entries">
            {items.map((one) => (
              <Row key={one.integrationId} integration={one} onChanged={() => integrations.resource.reload()} />
            ))}
          </ul>
          <More of={integrations} />
        </>
      )}
    </Loaded>
  );
}

function Row({ integration, onChanged }: { integration: Integration; onChanged: () => void }) {
  const { provider, kind, name, status, personal, lastDeliveryAt, failuresInRow, lastError } = integration;
  return (
    <li class="entry">
      <div class="entry-main">
        <h3 class="entry-title">
          <bdi>{name || provider}</bdi>
        </h3>
        <p class="small soft">
          {plainWords(provider)} · {kind}
          {personal ? ' · for you alone' : ''}
          {lastDeliveryAt === null ? null : (
            <>
              {' '}
              · last delivery <Time at={lastDeliveryAt} />
            </>
          )}
          {failuresInRow > 0 ? ` · ${counted(failuresInRow, 'failure')} in a row` : ''}
        </p>
        {lastError === null ? null : <p class="failure">{lastError}</p>}
      </div>
      <div class="entry-side">
        <Chip tone={status === 'connected' ? 'good' : 'warn'}>{plainWords(status)}</Chip>
        <Disconnect integration={integration} onChanged={onChanged} />
      </div>
    </li>
  );
}

type Told = Output<'svc_disconnect_integration'>;

/** Asks first, and once more where something needs it, which the server says. */
function Disconnect({ integration, onChanged }: { integration: Integration; onChanged: () => void }) {
  const [asks, setAsks] = useState(false);
  const [needed, setNeeded] = useState<Told | undefined>(undefined);
  const deed = useDeed();
  const { integrationId, provider, name } = integration;
  if (!may('integrations:write')) return null;
  const close = (): void => {
    deed.clear();
    setAsks(false);
    setNeeded(undefined);
  };
  const disconnect = (): void =>
    deed.run(async () => {
      const told = await call('svc_disconnect_integration', { integrationId, confirm: needed !== undefined });
      if (!told.disconnected) return setNeeded(told);
      close();
      say(`${name || provider} is disconnected, and its credentials are forgotten.`, { tone: 'good' });
      onChanged();
    });
  return (
    <>
      <button type="button" class="button button-small" onClick={() => setAsks(true)}>
        Disconnect<span class="unseen"> {name || provider}</span>
      </button>
      {asks ? (
        <Ask
          title="Disconnect?"
          verb={needed ? 'Disconnect all the same' : 'Disconnect'}
          danger
          deed={deed}
          onYes={disconnect}
          onClose={close}
        >
          <p class="quoted">
            <bdi>{name || provider}</bdi>
          </p>
          <p>Its credentials are forgotten, and what waits to be delivered to it is dropped.</p>
          {needed ? <p role="alert">It is needed by {needs(needed)}.</p> : null}
        </Ask>
      ) : null}
    </>
  );
}

function needs({ affectedWorkflows, affectedAutomations, affectedLists }: Told): string {
  const kinds = [
    [affectedWorkflows.length, 'workflow'],
    [affectedAutomations.length, 'automation'],
    [affectedLists.length, 'list'],
  ] as const;
  return (
    kinds
      .filter(([many]) => many > 0)
      .map(([many, one]) => counted(many, one))
      .join(', ') || 'what runs'
  );
}
