DROP INDEX `provisioning_requests_cluster` ON `provisioning_requests`;--> statement-breakpoint
DROP INDEX `provisioning_requests_status` ON `provisioning_requests`;--> statement-breakpoint
ALTER TABLE `clusters` MODIFY COLUMN `metadata` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL;--> statement-breakpoint
ALTER TABLE `provisioning_requests` MODIFY COLUMN `specification` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL;--> statement-breakpoint
ALTER TABLE `provisioning_requests` MODIFY COLUMN `metadata` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL;--> statement-breakpoint
ALTER TABLE `provisioning_requests` MODIFY COLUMN `steps` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL;--> statement-breakpoint
CREATE INDEX `provisioning_requests_type` ON `provisioning_requests` (`resourceType`,`createdAt`,`id`,`tenantId`);--> statement-breakpoint
CREATE INDEX `provisioning_requests_cluster` ON `provisioning_requests` (`clusterId`,`createdAt`,`id`,`tenantId`);--> statement-breakpoint
CREATE INDEX `provisioning_requests_status` ON `provisioning_requests` (`status`,`createdAt`,`id`,`tenantId`,`resourceType`);