import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { workspace } from '../../app/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Select, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { argumentsOf, CONNECT_WAYS, type ConnectWay, type Provider } from './connect-ways.ts';

type Connected = Output<'svc_connect_integration'>;

/** Connects something: what is given is tried on the real server first, and goes nowhere but there. */
export function ConnectDialog({ onConnected, onClose }: { onConnected: () => void; onClose: () => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const known = useTool('svc_list_integrations', { workspaceId, limit: 1 });
  return (
    <Dialog title="Connect" onClose={onClose}>
      <Loaded of={known} lines={3}>
        {({ available }) => <Form available={available} onConnected={onConnected} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

interface FormProps {
  available: readonly string[];
  onConnected: () => void;
  onClose: () => void;
}

function Form({ available, onConnected, onClose }: FormProps) {
  const { workspaceId = '' } = workspace.value ?? {};
  const offered = (Object.entries(CONNECT_WAYS) as [Provider, ConnectWay][]).filter(([one]) => available.includes(one));
  const [provider, setProvider] = useState<Provider>(offered[0]?.[0] ?? 'smtp_imap');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [done, setDone] = useState<Connected | undefined>(undefined);
  const deed = useDeed();
  const way = CONNECT_WAYS[provider];
  const connect = (event: Event): void => {
    event.preventDefault();
    if (!way) return;
    deed.run(async () => {
      const answer = await call('svc_connect_integration', { workspaceId, ...argumentsOf(provider, way, values) });
      setValues({});
      onConnected();
      if (answer.authUrl !== null || answer.signingSecret !== null) return setDone(answer);
      say(`${way.title} is connected.`, { tone: 'good' });
      onClose();
    });
  };
  if (done && way) return <Done title={way.title} connected={done} onClose={onClose} />;
  return (
    <form class="stack" onSubmit={connect}>
      <Select<Provider>
        label="What"
        value={provider}
        onValue={(one) => {
          setProvider(one);
          setValues({});
          deed.clear();
        }}
        options={offered.map(([value, { title, group }]) => ({ value, label: `${title} · ${group}` }))}
      />
      {(way?.fields ?? []).map(({ name, label, type = 'text', optional, hint }) => (
        <TextField
          key={`${provider} ${name}`}
          label={optional ? `${label} (optional)` : label}
          type={type}
          hint={hint}
          required={optional !== true}
          // What opens a mailbox is no business of the browser's memory.
          autocomplete={type === 'password' ? 'new-password' : 'off'}
          value={values[name] ?? ''}
          onValue={(value) => setValues((now) => ({ ...now, [name]: value }))}
        />
      ))}
      <TextField
        label="Name (optional)"
        hint="As it is shown here."
        maxLength={120}
        value={values['name'] ?? ''}
        onValue={(value) => setValues((now) => ({ ...now, name: value }))}
      />
      <FailureLine failure={deed.failure} />
      <p class="deeds">
        <button type="submit" class="button button-primary" disabled={deed.busy}>
          {deed.busy ? 'Trying…' : 'Connect'}
        </button>
      </p>
    </form>
  );
}

/** What is left to do elsewhere, and what is shown once. */
function Done({ title, connected, onClose }: { title: string; connected: Connected; onClose: () => void }) {
  const { authUrl, signingSecret } = connected;
  return (
    <div class="stack" role="status">
      {authUrl !== null && /^https?:\/\//.test(authUrl) ? (
        <>
          <p>{title} asks you whether Outrider may. The link works for ten minutes.</p>
          <p class="deeds">
            <a class="button button-primary" href={authUrl} target="_blank" rel="noopener noreferrer">
              Continue at {title} <Icon name="outside" size={16} />
            </a>
          </p>
        </>
      ) : null}
      {signingSecret === null ? null : (
        <Field label="Signing secret" hint="It is shown now and never again: each delivery is signed with it.">
          {(marks) => (
            <input {...marks} readOnly value={signingSecret} onFocus={(event) => event.currentTarget.select()} />
          )}
        </Field>
      )}
      <p class="deeds">
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </p>
    </div>
  );
}
