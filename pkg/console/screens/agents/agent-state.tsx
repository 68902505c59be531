import { call } from '../../api/call.ts';
import { Chip } from '../../parts/chip.tsx';
import { PauseButton } from '../../parts/pause-button.tsx';

export type Status = 'active' | 'paused';

/** Whether it looks out, in a word. */
export function StatusChip({ status }: { status: Status }) {
  return <Chip tone={status === 'active' ? 'good' : 'warn'}>{status}</Chip>;
}

interface Paused {
  name: string;
  status: Status;
  onChanged: () => void;
}

/** Pauses what looks out, or has it go on; `does` calls the tool of the kind. */
export function PauseWatch({
  name,
  status,
  ...rest
}: Paused & { scope: string; does: (pause: boolean) => Promise<unknown> }) {
  const said = (pause: boolean): string => (pause ? `${name} is paused.` : `${name} looks out again.`);
  return <PauseButton {...rest} name={name} paused={status === 'paused'} said={said} />;
}

export function PauseAgent({ signalAgentId, ...rest }: Paused & { signalAgentId: string }) {
  const does = (pause: boolean): Promise<unknown> =>
    pause ? call('svc_pause_signal_agent', { signalAgentId }) : call('svc_resume_signal_agent', { signalAgentId });
  return <PauseWatch {...rest} scope="signals:write" does={does} />;
}
