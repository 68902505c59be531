import { here } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { workspace } from '../../app/session.ts';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { KeysTab } from './keys-tab.tsx';
import { MembersTab } from './members-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import './settings.css';
import { WorkspaceTab } from './workspace-tab.tsx';

const TABS = [
  { path: '', title: 'Workspace', show: WorkspaceTab },
  { path: 'members', title: 'Members', show: MembersTab },
  { path: 'keys', title: 'Keys', show: KeysTab },
  { path: 'sessions', title: 'Your sessions', show: SessionsTab },
] as const;

/** The workspace, who is in it, and what may be done in its name. */
export default function SettingsScreen({ rest }: ScreenProps) {
  const tab = TABS.find(({ path }) => path === rest) ?? TABS[0];
  const { workspaceId = '' } = workspace.value ?? {};
  return (
    <>
      <ScreenHead title="Settings" />
      <Tabs
        label="Parts of the settings"
        tabs={TABS}
        active={tab.path}
        hrefOf={(path) => here.value('settings', path)}
      />
      <tab.show key={`${workspaceId}/${tab.path}`} />
    </>
  );
}
