import { useSignal } from '@preact/signals';
import { call, type Input, type Output } from '../../api/call.ts';
import { type Resource, useTool } from '../../api/resource.ts';
import { Ask } from '../../parts/ask.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Select, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import './platform.css';
import { Reason } from './reason.tsx';

type Health = Output<'svc_admin_get_system_health'>;
type Freeze = Health['freezes'][number];
type Channel = NonNullable<Input<'svc_admin_set_send_freeze'>['channel']>;

/** The switch that stops what leaves: of the platform, a workspace, an account, or a channel. */
export default function FreezeScreen() {
  const read = useTool('svc_admin_get_system_health', {});
  return (
    <>
      <ScreenHead title="Send freeze" />
      <div class="sections">
        <Section title="In force">
          <Loaded
            of={read}
            lines={3}
            empty={{ when: ({ freezes }) => freezes.length === 0, show: <p class="soft">Nothing is frozen.</p> }}
          >
            {({ freezes }) => (
              <ul class="letters">
                {freezes.map((freeze) => (
                  <FreezeLine key={keyOf(freeze)} freeze={freeze} resource={read} />
                ))}
              </ul>
            )}
          </Loaded>
        </Section>
        <NewFreeze resource={read} />
      </div>
    </>
  );
}

function keyOf({ scope, id, channel }: Freeze): string {
  return `${scope}/${id ?? ''}/${channel ?? ''}`;
}

function whatOf({ scope, id }: Pick<Freeze, 'scope' | 'id'>): string {
  return id === null ? 'The whole platform' : `${scope} ${id}`;
}

function FreezeLine({ freeze, resource }: { freeze: Freeze; resource: Resource<Health> }) {
  const { channel, until, reason, by, since } = freeze;
  const releasing = useSignal(false);
  const over = until !== null && Date.parse(until) <= Date.now();
  return (
    <li class="letter card">
      <p class="row">
        <strong>
          <bdi>{whatOf(freeze)}</bdi>
        </strong>
        <Chip tone="bad">{channel === null ? 'everything' : `${channel} alone`}</Chip>
        {over ? <Chip>over</Chip> : null}
      </p>
      <p>
        <bdi>{reason}</bdi>
      </p>
      <p class="soft">
        since <Time at={since} />
        {until === null ? ', until somebody releases it' : ''}
        {until === null ? null : (
          <>
            , until <Time at={until} />
          </>
        )}
        , by <bdi>{by}</bdi>
      </p>
      <p>
        <button
          type="button"
          class="button button-small"
          onClick={() => {
            releasing.value = true;
          }}
        >
          <Icon name="play" size={16} /> Release<span class="unseen"> {whatOf(freeze)}</span>
        </button>
      </p>
      {releasing.value ? (
        <Release
          freeze={freeze}
          resource={resource}
          onClose={() => {
            releasing.value = false;
          }}
        />
      ) : null}
    </li>
  );
}

function Release({ freeze, resource, onClose }: { freeze: Freeze; resource: Resource<Health>; onClose: () => void }) {
  const reason = useSignal('');
  const deed = useDeed();
  const { scope, id, channel } = freeze;
  const release = (): void =>
    deed.run(async () => {
      await call('svc_admin_set_send_freeze', {
        frozen: false,
        reason: reason.value.trim(),
        workspaceId: scope === 'workspace' && id !== null ? id : undefined,
        accountId: scope === 'account' && id !== null ? id : undefined,
        channel: channel === null ? undefined : (channel as Channel),
      });
      say('It is released.', { tone: 'good' });
      onClose();
      resource.reload();
    });
  return (
    <Ask
      title="Release this freeze?"
      verb="Release"
      ready={reason.value.trim() !== ''}
      deed={deed}
      onYes={release}
      onClose={onClose}
    >
      <p>
        <bdi>{whatOf(freeze)}</bdi>: what waited goes on, as far as budgets, hours and other freezes let it.
      </p>
      <Reason reason={reason} />
    </Ask>
  );
}

const SCOPES = [
  { value: 'platform', label: 'The whole platform' },
  { value: 'workspace', label: 'A workspace' },
  { value: 'account', label: 'An account' },
] as const;

const CHANNELS = [
  { value: '', label: 'Everything' },
  { value: 'network', label: 'The network alone' },
  { value: 'mail', label: 'Mail alone' },
  { value: 'content', label: 'Posts alone' },
  { value: 'webhook', label: 'Webhooks alone' },
] as const satisfies readonly { value: Channel | ''; label: string }[];

function NewFreeze({ resource }: { resource: Resource<Health> }) {
  const scope = useSignal<(typeof SCOPES)[number]['value']>('workspace');
  const id = useSignal('');
  const channel = useSignal<Channel | ''>('');
  const until = useSignal('');
  const reason = useSignal('');
  const asking = useSignal(false);
  const deed = useDeed();
  const target = scope.value === 'platform' ? null : id.value.trim();
  const ready = reason.value.trim() !== '' && target !== '';
  const freeze = (): void =>
    deed.run(async () => {
      const { lastEffectAfterMs, effectiveWithinSeconds } = await call('svc_admin_set_send_freeze', {
        frozen: true,
        workspaceId: scope.value === 'workspace' ? id.value.trim() : undefined,
        accountId: scope.value === 'account' ? id.value.trim() : undefined,
        channel: channel.value || undefined,
        until: until.value === '' ? undefined : new Date(until.value).toISOString(),
        reason: reason.value.trim(),
      });
      const last =
        lastEffectAfterMs === null ? 'nothing left any more' : `the last one left after ${lastEffectAfterMs} ms`;
      say(`Frozen within ${effectiveWithinSeconds} s: ${last}.`, { tone: 'good', stays: null });
      asking.value = false;
      reason.value = '';
      resource.reload();
    });
  return (
    <Section
      title="Freeze"
      about="It is in force within seconds, in every executor, and survives restarts. What waits is not lost."
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          asking.value = true;
        }}
      >
        <div class="form-grid">
          <Select
            label="What"
            value={scope.value}
            options={SCOPES}
            onValue={(value) => {
              scope.value = value;
            }}
          />
          {scope.value === 'platform' ? null : (
            <TextField
              label={scope.value === 'workspace' ? 'Id of the workspace' : 'Id of the account'}
              required
              autocomplete="off"
              value={id.value}
              onValue={(value) => {
                id.value = value;
              }}
            />
          )}
          <Select
            label="Which way"
            value={channel.value}
            options={CHANNELS}
            onValue={(value) => {
              channel.value = value;
            }}
          />
          <TextField
            label="Until"
            hint="Empty: until somebody releases it"
            type="datetime-local"
            value={until.value}
            onValue={(value) => {
              until.value = value;
            }}
          />
          <Reason reason={reason} />
        </div>
        <div class="form-foot">
          <button type="submit" class="button button-danger" disabled={!ready}>
            <Icon name="pause" size={16} /> Freeze …
          </button>
        </div>
      </form>
      {asking.value ? (
        <Ask
          title="Freeze now?"
          verb="Freeze"
          danger
          deed={deed}
          onYes={freeze}
          onClose={() => {
            asking.value = false;
          }}
        >
          <p>
            {target === null ? 'Of the whole platform' : <bdi>Of {`${scope.value} ${target}`}</bdi>} nothing leaves any
            more
            {channel.value === '' ? '' : ` by ${channel.value}`}, until it is released.
          </p>
        </Ask>
      ) : null}
    </Section>
  );
}
