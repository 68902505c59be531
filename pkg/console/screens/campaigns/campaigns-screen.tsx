import type { ScreenProps } from '../../app/screen-props.ts';
import { CampaignList } from './campaign-list.tsx';
import { CampaignPage } from './campaign-page.tsx';
import '../outreach.css';
import './campaigns.css';

/** Campaigns: `campaigns` all of them, `campaigns/<id>` one with its funnel, forecast, and why nothing is sent. */
export default function CampaignsScreen({ rest }: ScreenProps) {
  return rest === '' ? <CampaignList /> : <CampaignPage key={rest} campaignId={rest} />;
}
