import { call } from '../../api/call.ts';
import { may } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';

export type Status = 'active' | 'paused';

/** Whether it looks out, in a word. */
export function StatusChip({ status }: { status: Status }) {
  return <Chip tone={status === 'active' ? 'good' : 'warn'}>{status}</Chip>;
}

/** Pauses or goes on; `does` calls the tool of the kind. */
export function PauseButton({
  name,
  status,
  scope,
  does,
  onChanged,
}: {
  name: string;
  status: Status;
  scope: string;
  does: (pause: boolean) => Promise<unknown>;
  onChanged: () => void;
}) {
  const deed = useDeed();
  if (!may(scope)) return null;
  const pauses = status === 'active';
  const change = (): void =>
    deed.run(async () => {
      await does(pauses);
      say(pauses ? `${name} is paused.` : `${name} looks out again.`, { tone: 'good' });
      onChanged();
    });
  return (
    <>
      <button type="button" class="button button-small" disabled={deed.busy} onClick={change}>
        <Icon name={pauses ? 'pause' : 'play'} size={16} /> {pauses ? 'Pause' : 'Resume'}
        <span class="unseen"> {name}</span>
      </button>
      <FailureLine failure={deed.failure} />
    </>
  );
}

export function PauseAgent({
  signalAgentId,
  ...rest
}: {
  signalAgentId: string;
  name: string;
  status: Status;
  onChanged: () => void;
}) {
  const does = (pause: boolean): Promise<unknown> =>
    pause ? call('svc_pause_signal_agent', { signalAgentId }) : call('svc_resume_signal_agent', { signalAgentId });
  return <PauseButton {...rest} scope="signals:write" does={does} />;
}
