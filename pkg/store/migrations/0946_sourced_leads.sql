-- The automation source_leads brings people whom a search of the network finds into its campaign.
grant insert on outrider.campaign_lead to outrider_executor;
