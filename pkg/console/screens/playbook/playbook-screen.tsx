import { useSignal } from '@preact/signals';
import { useTool } from '../../api/resource.ts';
import { here } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { may, workspace } from '../../app/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Section } from '../../parts/section.tsx';
import { isManager } from '../settings/role.ts';
import { EditPlaybook } from './edit-playbook.tsx';
import { History } from './history.tsx';
import './playbook.css';
import type { Playbook } from './playbook-types.ts';
import { Regenerate } from './regenerate.tsx';
import { Resolved } from './resolved.tsx';
import { VersionPage } from './version-page.tsx';

/** What is told to whoever writes in the name of the workspace, and what was told before. */
export default function PlaybookScreen({ rest }: ScreenProps) {
  const version = /^[1-9]\d{0,8}$/.test(rest) ? Number(rest) : undefined;
  return version === undefined ? <Now /> : <VersionPage key={version} version={version} />;
}

function Now() {
  const { workspaceId = '' } = workspace.value ?? {};
  const read = useTool('svc_get_playbook', { workspaceId });
  const open = useSignal<'edit' | 'generate' | null>(null);
  const close = (): void => {
    open.value = null;
  };
  const writes = may('workspace:write') && isManager();
  const done = (): void => {
    close();
    read.reload();
  };
  return (
    <>
      <ScreenHead title="Playbook">
        {writes ? (
          <button
            type="button"
            class="button"
            onClick={() => {
              open.value = 'generate';
            }}
          >
            <Icon name="spark" size={16} /> Write anew
          </button>
        ) : null}
      </ScreenHead>
      <Loaded of={read} lines={12}>
        {(playbook) => (
          <div class="playbook-columns">
            <div class="sections">
              {open.value === 'edit' ? (
                <EditPlaybook playbook={playbook} onDone={done} onCancel={close} />
              ) : (
                <Text playbook={playbook} onEdit={writes ? () => (open.value = 'edit') : undefined} />
              )}
              {may('campaigns:read') ? <Resolved /> : null}
            </div>
            <History playbook={playbook} hrefOf={(version) => here.value('playbook', version)} />
            {open.value === 'generate' ? <Regenerate playbook={playbook} onDone={done} onClose={close} /> : null}
          </div>
        )}
      </Loaded>
    </>
  );
}

function Text({ playbook, onEdit }: { playbook: Playbook; onEdit: (() => void) | undefined }) {
  const edit = onEdit ? (
    <button type="button" class="button button-small" onClick={onEdit}>
      <Icon name="edit" size={16} /> Edit
    </button>
  ) : undefined;
  if (playbook.playbook === null)
    return (
      <Section title="The text" deeds={edit}>
        <Empty icon="playbook" title="There is no playbook yet">
          <p>It says what you offer, to whom, and in which voice. Whatever is written in your name follows it.</p>
          {onEdit ? null : <p>An owner or admin of the workspace can write one.</p>}
        </Empty>
      </Section>
    );
  return (
    <Section
      title={`The text, version ${playbook.version}`}
      about={playbook.manuallyEdited ? 'Edited by hand.' : 'Written by the product.'}
      deeds={edit}
    >
      <p class="pre playbook-text">
        <bdi>{playbook.playbook}</bdi>
      </p>
    </Section>
  );
}
