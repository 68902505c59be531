import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { call } from '../../api/call.ts';
import { platformPath } from '../../app/address.ts';
import { readSession } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { TextField } from '../../parts/form.tsx';
import { useDeed } from '../../parts/use-deed.ts';

/** Makes a workspace with its owner. */
export function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const given = useSignal({ name: '', ownerEmail: '', ownerName: '', plan: '', agencyId: '', credits: '0' });
  const deed = useDeed();
  const now = given.value;
  const set =
    (name: keyof typeof now) =>
    (value: string): void => {
      given.value = { ...given.value, [name]: value };
    };
  const create = (): void => {
    const asked = {
      name: now.name.trim(),
      ownerEmail: now.ownerEmail.trim(),
      ownerName: now.ownerName.trim() || undefined,
      plan: now.plan.trim() || undefined,
      agencyId: now.agencyId.trim() || undefined,
      initialCredits: Number(now.credits) || 0,
    };
    deed.run(async (key) => {
      const { workspaceId } = await call('svc_admin_create_workspace', asked, { key });
      await readSession();
      route(platformPath('workspaces', workspaceId));
    });
  };
  return (
    <Ask
      title="A new workspace"
      verb="Make it"
      formClass="form-grid"
      ready={now.name.trim() !== '' && now.ownerEmail.trim() !== ''}
      deed={deed}
      onYes={create}
      onClose={onClose}
    >
      <TextField label="Name" required maxLength={120} value={now.name} onValue={set('name')} />
      <TextField
        label="Mail address of the owner"
        type="email"
        required
        maxLength={320}
        value={now.ownerEmail}
        onValue={set('ownerEmail')}
      />
      <TextField label="Name of the owner" maxLength={120} value={now.ownerName} onValue={set('ownerName')} />
      <TextField label="Plan" maxLength={50} value={now.plan} onValue={set('plan')} />
      <TextField
        label="Agency"
        hint="Workspaces of one agency share exclusions"
        maxLength={120}
        value={now.agencyId}
        onValue={set('agencyId')}
      />
      <TextField
        label="Credits to begin with"
        type="number"
        min={0}
        max={10_000_000}
        value={now.credits}
        onValue={set('credits')}
      />
    </Ask>
  );
}
