import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { call } from '../../api/call.ts';
import { platformPath } from '../../app/address.ts';
import { readSession } from '../../app/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
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
  const create = (event: SubmitEvent): void => {
    event.preventDefault();
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
    <Dialog
      title="A new workspace"
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            form="create-workspace"
            class="button button-primary"
            disabled={deed.busy || now.name.trim() === '' || now.ownerEmail.trim() === ''}
          >
            Make it
          </button>
        </>
      }
    >
      <form id="create-workspace" class="form-grid" onSubmit={create}>
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
      </form>
      <FailureLine failure={deed.failure} />
    </Dialog>
  );
}
