import { useSignal } from '@preact/signals';
import { call, type Output } from '../../api/call.ts';
import { type Resource, useTool } from '../../api/resource.ts';
import { may, workspace } from '../../app/session.ts';
import { Check, Select, TextField } from '../../parts/form.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { groupedKinds, kindWords } from './kind-words.ts';

type Answer = Output<'svc_get_notification_preferences'>;
type Preferences = Answer['preferences'];
type Channel = Preferences['channels'][string][number];

const CHANNELS: readonly (readonly [Channel, string])[] = [
  ['in_app', 'Here'],
  ['email', 'Mail'],
  ['chat', 'Chat'],
  ['webhook', 'Webhook'],
];

/** Which kinds of events reach the member by which way, when mails leave, and when not. */
export function PreferencesTab() {
  const { workspaceId = '' } = workspace.value ?? {};
  const read = useTool('svc_get_notification_preferences', { workspaceId });
  return (
    <Loaded of={read} lines={10}>
      {({ preferences }) => (
        <div class="sections">
          <Times
            key={JSON.stringify([preferences.digest, preferences.quietHours])}
            preferences={preferences}
            resource={read}
          />
          <Kinds preferences={preferences} resource={read} />
        </div>
      )}
    </Loaded>
  );
}

const DIGESTS = [
  { value: 'off', label: 'Each by itself, at once' },
  { value: 'hourly', label: 'All of an hour together' },
  { value: 'daily', label: 'All of a day together' },
] as const;

interface PartProps {
  preferences: Preferences;
  resource: Resource<Answer>;
}

function Times({ preferences, resource }: PartProps) {
  const { workspaceId = '' } = workspace.value ?? {};
  const { quietHours } = preferences;
  const digest = useSignal(preferences.digest);
  const quiet = useSignal(quietHours !== null);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const hours = useSignal(quietHours ?? { startHour: 20, endHour: 7, timezone: zone });
  const deed = useDeed();
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    // The same hour twice ends them.
    const none = { startHour: 0, endHour: 0 };
    const chosen = quiet.value ? hours.value : quietHours === null ? undefined : none;
    deed.run(async () => {
      const answer = await call('svc_update_notification_preferences', {
        workspaceId,
        digest: digest.value,
        ...(chosen ? { quietHours: chosen } : {}),
      });
      resource.set(() => answer);
      say('Saved.', { tone: 'good' });
    });
  };
  const set = (change: Partial<typeof hours.value>): void => {
    hours.value = { ...hours.value, ...change };
  };
  const writes = may('notifications:write');
  return (
    <Section
      title="Mails"
      about="What matters for security, and what stops all sending, comes at once, whatever you choose here."
    >
      <form class="stack" onSubmit={save}>
        <fieldset class="stack" disabled={!writes}>
          <div class="form-grid">
            <Select
              label="They leave"
              value={digest.value}
              options={DIGESTS}
              onValue={(value) => {
                digest.value = value;
              }}
            />
          </div>
          <Check
            label="Quiet hours: what comes meanwhile is mailed afterwards, together"
            checked={quiet.value}
            disabled={!writes}
            onChecked={(checked) => {
              quiet.value = checked;
            }}
          />
          {quiet.value ? (
            <div class="form-grid">
              <Select
                label="From"
                value={String(hours.value.startHour)}
                options={HOURS}
                onValue={(value) => set({ startHour: Number(value) })}
              />
              <Select
                label="Until"
                value={String(hours.value.endHour)}
                options={HOURS}
                onValue={(value) => set({ endHour: Number(value) })}
              />
              <TextField
                label="In the time zone"
                value={hours.value.timezone}
                maxLength={60}
                onValue={(timezone) => set({ timezone })}
              />
            </div>
          ) : null}
        </fieldset>
        <FailureLine failure={deed.failure} />
        {writes ? (
          <div class="form-foot">
            <button type="submit" class="button button-primary" disabled={deed.busy}>
              Save
            </button>
          </div>
        ) : null}
      </form>
    </Section>
  );
}

const HOURS = Array.from({ length: 24 }, (_, n) => ({ value: String(n), label: `${String(n).padStart(2, '0')}:00` }));

function Kinds({ preferences, resource }: PartProps) {
  const { workspaceId = '' } = workspace.value ?? {};
  const deed = useDeed();
  // What was pressed is seen at once, and taken back where it was refused.
  const pressed = useSignal<{ kind: string; channel: Channel; on: boolean } | undefined>(undefined);
  const writes = may('notifications:write');
  const set = (kind: string, channel: Channel, on: boolean): void => {
    const before = preferences.channels[kind] ?? [];
    const channels = on ? [...before, channel] : before.filter((one) => one !== channel);
    pressed.value = { kind, channel, on };
    deed.run(async () => {
      try {
        const chosen = { workspaceId, channels: { [kind]: channels } };
        const answer = await call('svc_update_notification_preferences', chosen);
        resource.set(() => answer);
      } finally {
        pressed.value = undefined;
      }
    });
  };
  const isOn = (kind: string, channel: Channel): boolean => {
    const now = pressed.value;
    if (now?.kind === kind && now.channel === channel) return now.on;
    return preferences.channels[kind]?.includes(channel) === true;
  };
  return (
    <Section
      title="What reaches you"
      about="A chat or webhook can be chosen for kinds that an integration follows. Each change is kept at once."
    >
      <FailureLine failure={deed.failure} />
      {groupedKinds(Object.keys(preferences.channels)).map(({ title, kinds }) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what moves sideways has to be moved by keys, too
        // biome-ignore lint/a11y/useSemanticElements: a section of its own would be a landmark
        <div key={title} class="table-frame" role="group" aria-label={title} tabIndex={0}>
          <table class="kinds">
            <thead>
              <tr>
                <th scope="col">{title}</th>
                {CHANNELS.map(([channel, words]) => (
                  <th key={channel} scope="col" class="kind-channel">
                    {words}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {kinds.map((kind) => (
                <tr key={kind}>
                  <th scope="row">{kindWords(kind)}</th>
                  {CHANNELS.map(([channel, words]) => (
                    <td key={channel} class="kind-channel">
                      <input
                        type="checkbox"
                        aria-label={`${kindWords(kind)}: ${words}`}
                        checked={isOn(kind, channel)}
                        disabled={!writes || deed.busy}
                        onChange={(event) => set(kind, channel, event.currentTarget.checked)}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </Section>
  );
}
