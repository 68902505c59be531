import { createCampaign } from './create-campaign.ts';
import { getCampaign } from './get-campaign.ts';
import { getCampaignStats } from './get-campaign-stats.ts';
import { listCampaigns } from './list-campaigns.ts';
import { updateCampaign } from './update-campaign.ts';

export const campaignTools = [listCampaigns, getCampaign, createCampaign, updateCampaign, getCampaignStats];
