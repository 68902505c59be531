import type { Output } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { platformPath } from '../../app/address.ts';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Time } from '../../parts/time.tsx';
import { titleWords } from '../../parts/words.ts';
import './platform.css';

type Component = Output<'svc_admin_get_system_health'>['components'][number];

/** How the parts of the installation are. */
export default function HealthScreen() {
  const read = useTool('svc_admin_get_system_health', {});
  return (
    <>
      <ScreenHead title="Health">
        <button type="button" class="button" disabled={read.state.value.busy} onClick={() => read.reload()}>
          <Icon name="refresh" size={16} /> Look again
        </button>
      </ScreenHead>
      <Loaded of={read} lines={8}>
        {({ status, components }) => (
          <div class="stack">
            <p class={`banner banner-${status === 'ok' ? 'good' : status === 'down' ? 'bad' : 'warn'}`} role="status">
              <Icon name={status === 'ok' ? 'check' : 'warning'} />
              <span>{summary(components)}</span>
            </p>
            <ul class="components">
              {[...components].sort(worstFirst).map((component) => (
                <ComponentCard key={component.name} component={component} />
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </>
  );
}

const ORDER: Readonly<Record<Component['status'], number>> = { down: 0, degraded: 1, ok: 2 };
const TONES: Readonly<Record<Component['status'], Tone>> = { ok: 'good', degraded: 'warn', down: 'bad' };

function worstFirst(a: Component, b: Component): number {
  return ORDER[a.status] - ORDER[b.status];
}

function summary(components: readonly Component[]): string {
  const bad = components.filter(({ status }) => status !== 'ok');
  if (bad.length === 0) return `All ${components.length} parts are well.`;
  return `${bad.length} of ${components.length} parts need a look: ${bad.map(({ name }) => name).join(', ')}.`;
}

/** Parts that have a screen of their own. */
const SCREENS: Readonly<Record<string, string>> = {
  'send freezes': 'freeze',
  outcomes: 'dead-letters',
  'audit log': 'audit',
};

function ComponentCard({ component }: { component: Component }) {
  const { name, status, detail, since, runbook } = component;
  const screen = SCREENS[name];
  return (
    <li class={`component component-${status}`}>
      <p class="row">
        <strong class="grow">{titleWords(name)}</strong>
        <Chip tone={TONES[status]}>{status}</Chip>
      </p>
      <p>{detail}</p>
      {since === null || status === 'ok' ? null : (
        <p class="soft small">
          since <Time at={since} />
        </p>
      )}
      <p class="small row">
        {screen === undefined ? null : <a href={platformPath(screen)}>Look there</a>}
        {status === 'ok' ? null : <code>{runbook}</code>}
      </p>
    </li>
  );
}
