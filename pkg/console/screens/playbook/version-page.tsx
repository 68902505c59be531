import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useResource } from '../../api/resource.ts';
import { here, useGo } from '../../app/address.ts';
import { may, workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Choice } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Section } from '../../parts/section.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { WayBack } from '../../parts/way-back.tsx';
import { isManager } from '../settings/role.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';

/** A version of before: its text, what is different in the one of now, and the way back to it. */
export function VersionPage({ version }: { version: number }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const read = useResource(
    async (signal) => {
      const [before, now] = await Promise.all([
        call('svc_get_playbook', { workspaceId, version }, { signal }),
        call('svc_get_playbook', { workspaceId }, { signal }),
      ]);
      return { before: before.playbook ?? '', now: now.playbook ?? '', inForce: now.version === String(version) };
    },
    [workspaceId, version],
  );
  return (
    <>
      <WayBack href={here.value('playbook')} to="Playbook" />
      <ScreenHead title={`Version ${version}`} />
      <Loaded of={read} lines={12}>
        {(texts) => <Version version={version} {...texts} />}
      </Loaded>
    </>
  );
}

interface VersionProps {
  version: number;
  before: string;
  now: string;
  inForce: boolean;
}

function Version({ version, before, now, inForce }: VersionProps) {
  const shown = useSignal<'text' | 'diff'>(inForce ? 'text' : 'diff');
  const restoring = useSignal(false);
  const lines = useMemo(() => diffLines(before, now), [before, now]);
  const writes = may('workspace:write') && isManager() && !inForce;
  return (
    <Section
      title={inForce ? 'This version is in force' : 'An earlier version'}
      deeds={
        writes ? (
          <button
            type="button"
            class="button button-small"
            onClick={() => {
              restoring.value = true;
            }}
          >
            <Icon name="undo" size={16} /> Take this one back
          </button>
        ) : undefined
      }
    >
      {inForce ? null : (
        <div>
          <Choice
            label="What is shown"
            value={shown.value}
            options={[
              { value: 'diff', label: 'What changed since' },
              { value: 'text', label: 'Its text' },
            ]}
            onValue={(value) => {
              shown.value = value;
            }}
          />
        </div>
      )}
      {shown.value === 'diff' ? (
        <Difference lines={lines} />
      ) : (
        <p class="pre playbook-text">
          <bdi>{before === '' ? 'It was empty.' : before}</bdi>
        </p>
      )}
      {restoring.value ? <Restore version={version} onClose={() => (restoring.value = false)} /> : null}
    </Section>
  );
}

function Difference({ lines }: { lines: readonly DiffLine[] }) {
  if (lines.every(({ kind }) => kind === 'same')) return <p class="soft">The text of now is the same.</p>;
  return (
    <ol class="difference">
      {lines.map(({ kind, text }, place) => (
        <li key={place} class={`difference-${kind}`}>
          <span class="difference-mark">
            <span aria-hidden="true">{MARKS[kind]}</span>
            <span class="unseen">{WORDS[kind]}</span>
          </span>
          {kind === 'gone' ? (
            <del>
              <bdi>{text}</bdi>
            </del>
          ) : kind === 'new' ? (
            <ins>
              <bdi>{text}</bdi>
            </ins>
          ) : (
            <bdi>{text}</bdi>
          )}
        </li>
      ))}
    </ol>
  );
}

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { same: '', gone: '−', new: '+' };
const WORDS: Readonly<Record<DiffLine['kind'], string>> = { same: '', gone: 'Was here: ', new: 'Came since: ' };

function Restore({ version, onClose }: { version: number; onClose: () => void }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const deed = useDeed();
  const go = useGo();
  const restore = (): void =>
    deed.run(async () => {
      await call('svc_update_workspace', { workspaceId, playbookVersion: version });
      say(`The text of version ${version} is in force again.`, { tone: 'good' });
      go('playbook');
    });
  return (
    <Ask title={`Take version ${version} back?`} verb="Take it back" deed={deed} onYes={restore} onClose={onClose}>
      <p>Its text becomes a new version that is in force. The text of now stays in the history.</p>
    </Ask>
  );
}
