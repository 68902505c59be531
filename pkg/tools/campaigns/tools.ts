import { createCampaign } from './create-campaign.ts';
import { deleteCampaign } from './delete-campaign.ts';
import { duplicateCampaign } from './duplicate-campaign.ts';
import { getCampaign } from './get-campaign.ts';
import { getCampaignStats } from './get-campaign-stats.ts';
import { listCampaigns } from './list-campaigns.ts';
import { updateCampaign } from './update-campaign.ts';

export const campaignTools = [
  createCampaign,
  listCampaigns,
  getCampaign,
  updateCampaign,
  getCampaignStats,
  deleteCampaign,
  duplicateCampaign,
];
