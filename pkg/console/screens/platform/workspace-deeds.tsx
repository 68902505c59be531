import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { Ask } from '../../parts/ask.tsx';
import { TextField } from '../../parts/form.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { Reason } from './reason.tsx';

interface DeedProps {
  workspaceId: string;
  onDone: () => void;
  onClose: () => void;
}

/** Gives or takes credits. */
export function AdjustCredits({ workspaceId, balance, onDone, onClose }: DeedProps & { balance: number }) {
  const amount = useSignal('');
  const reason = useSignal('');
  const deed = useDeed();
  const number = Number(amount.value);
  const ready = Number.isInteger(number) && number !== 0 && reason.value.trim() !== '';
  const adjust = (): void =>
    deed.run(async (idempotencyKey) => {
      const asked = { workspaceId, amount: number, reason: reason.value.trim(), idempotencyKey };
      const { balance: now } = await call('svc_admin_adjust_credits', asked);
      say(`The workspace has ${now.toLocaleString()} credits.`, { tone: 'good' });
      onDone();
    });
  return (
    <Ask
      title="Give or take credits"
      verb={number < 0 ? 'Take' : 'Give'}
      ready={ready}
      deed={deed}
      onYes={adjust}
      onClose={onClose}
    >
      <p>It has {balance.toLocaleString()} credits.</p>
      <TextField
        label="How many"
        hint="Less than nothing takes credits"
        type="number"
        step={1}
        min={-10_000_000}
        max={10_000_000}
        value={amount.value}
        onValue={(value) => {
          amount.value = value;
        }}
      />
      <Reason reason={reason} />
    </Ask>
  );
}

/** Stops all that a workspace does, or lets it go on. */
export function ChangeState({
  workspaceId,
  name,
  suspended,
  onDone,
  onClose,
}: DeedProps & { name: string; suspended: boolean }) {
  const reason = useSignal('');
  const deed = useDeed();
  const change = (): void =>
    deed.run(async () => {
      const status = suspended ? 'active' : 'suspended';
      await call('svc_admin_update_workspace', { workspaceId, status, reason: reason.value.trim() });
      onDone();
    });
  return (
    <Ask
      title={suspended ? 'Restore this workspace?' : 'Suspend this workspace?'}
      verb={suspended ? 'Restore' : 'Suspend'}
      danger={!suspended}
      ready={reason.value.trim() !== ''}
      deed={deed}
      onYes={change}
      onClose={onClose}
    >
      <p>
        <bdi>{name}</bdi>
        {suspended
          ? ' goes on where it was.'
          : ': every action ends within seconds, and nobody can change anything there.'}
      </p>
      <Reason reason={reason} />
    </Ask>
  );
}

/** Marks a workspace to be erased, or takes the mark back. */
export function DeleteWorkspace({
  workspaceId,
  name,
  cancel,
  onDone,
  onClose,
}: DeedProps & { name: string; cancel: boolean }) {
  const typed = useSignal('');
  const days = useSignal('30');
  const reason = useSignal('');
  const deed = useDeed();
  const ready = reason.value.trim() !== '' && (cancel || typed.value === name);
  const change = (): void =>
    deed.run(async () => {
      const asked = {
        workspaceId,
        confirmName: name,
        cancel,
        reason: reason.value.trim(),
        graceDays: Number(days.value),
      };
      await call('svc_admin_delete_workspace', asked);
      onDone();
    });
  if (cancel)
    return (
      <Ask
        title="Take the deletion back?"
        verb="Take it back"
        ready={ready}
        deed={deed}
        onYes={change}
        onClose={onClose}
      >
        <p>
          <bdi>{name}</bdi> goes on. Its keys stay revoked.
        </p>
        <Reason reason={reason} />
      </Ask>
    );
  return (
    <Ask title="Delete this workspace?" verb="Delete" danger ready={ready} deed={deed} onYes={change} onClose={onClose}>
      <p>
        It is suspended and its keys are revoked now; after the days of grace all of it is erased. Until then it can be
        taken back.
      </p>
      <TextField
        label="Days of grace"
        type="number"
        min={0}
        max={90}
        value={days.value}
        onValue={(value) => {
          days.value = value;
        }}
      />
      <TextField
        label="Its name, to be sure"
        hint={<bdi>{name}</bdi>}
        autocomplete="off"
        value={typed.value}
        onValue={(value) => {
          typed.value = value;
        }}
      />
      <Reason reason={reason} />
    </Ask>
  );
}
