import { here } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { workspace } from '../../app/session.ts';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import './notifications.css';
import { NotificationList } from './notification-list.tsx';
import { PreferencesTab } from './preferences-tab.tsx';

const TABS = [
  { path: '', title: 'What happened', show: NotificationList },
  { path: 'preferences', title: 'What reaches you', show: PreferencesTab },
] as const;

/** What the member is told, and how they are. */
export default function NotificationsScreen({ rest }: ScreenProps) {
  const tab = TABS.find(({ path }) => path === rest) ?? TABS[0];
  const { workspaceId = '' } = workspace.value ?? {};
  return (
    <>
      <ScreenHead title="Notifications" />
      <Tabs
        label="Parts of notifications"
        tabs={TABS}
        active={tab.path}
        hrefOf={(path) => here.value('notifications', path)}
      />
      <tab.show key={`${workspaceId}/${tab.path}`} />
    </>
  );
}
