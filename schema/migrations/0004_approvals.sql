CREATE TABLE `approval_rules` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`name` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	`description` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`condition` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`tenantId` varbinary(256),
	`priority` smallint NOT NULL,
	`status` varchar(40) character set ascii collate ascii_bin NOT NULL,
	CONSTRAINT `approval_rules_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `approvals` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`provisioningRequestId` char(36) character set ascii collate ascii_bin NOT NULL,
	`tenantId` varbinary(256) NOT NULL,
	`ruleId` char(36) character set ascii collate ascii_bin NOT NULL,
	`ruleName` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	`status` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`minApprovals` tinyint NOT NULL,
	`decisions` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`decidedAt` datetime(3),
	`expiresAt` datetime(3),
	`onExpiry` varchar(40) character set ascii collate ascii_bin NOT NULL,
	CONSTRAINT `approvals_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `quota_counters` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`tenantId` varbinary(256) NOT NULL,
	`resourceType` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`used` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`limits` longtext character set utf8mb4 collate utf8mb4_bin,
	CONSTRAINT `quota_counters_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `quotas` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`tenantId` varbinary(256) NOT NULL,
	`resourceType` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`limits` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `quotas_id` PRIMARY KEY(`id`),
	CONSTRAINT `quotas_tenant_type` UNIQUE(`tenantId`,`resourceType`)
);
--> statement-breakpoint
ALTER TABLE `clusters` ADD `authUrl` mediumtext character set utf8mb4 collate utf8mb4_bin;--> statement-breakpoint
ALTER TABLE `clusters` ADD `apiUrl` mediumtext character set utf8mb4 collate utf8mb4_bin;--> statement-breakpoint
ALTER TABLE `clusters` ADD `projectName` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci;--> statement-breakpoint
ALTER TABLE `clusters` ADD `domainName` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci;--> statement-breakpoint
ALTER TABLE `clusters` ADD `credentialsRef` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci;--> statement-breakpoint
ALTER TABLE `clusters` ADD `capacity` longtext character set utf8mb4 collate utf8mb4_bin DEFAULT ('{}') NOT NULL;--> statement-breakpoint
ALTER TABLE `clusters` ADD `used` longtext character set utf8mb4 collate utf8mb4_bin DEFAULT ('{"vcpu":0,"memoryMb":0,"storageGb":0,"instances":0}') NOT NULL;--> statement-breakpoint
ALTER TABLE `clusters` ADD `status` varchar(40) character set ascii collate ascii_bin DEFAULT 'UNKNOWN' NOT NULL;--> statement-breakpoint
ALTER TABLE `clusters` ADD `statusSince` datetime(3);--> statement-breakpoint
ALTER TABLE `provisioning_requests` ADD `reserved` json;--> statement-breakpoint
ALTER TABLE `provisioning_requests` ADD `approvalId` char(36) character set ascii collate ascii_bin;--> statement-breakpoint
ALTER TABLE `provisioning_requests` ADD `startsWhenApproved` boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `approval_rules_status` ON `approval_rules` (`status`,`tenantId`);--> statement-breakpoint
CREATE INDEX `approval_rules_created` ON `approval_rules` (`createdAt`,`id`);--> statement-breakpoint
CREATE INDEX `approval_rules_priority` ON `approval_rules` (`priority`,`id`);--> statement-breakpoint
CREATE INDEX `approvals_request` ON `approvals` (`provisioningRequestId`,`createdAt`,`id`);--> statement-breakpoint
CREATE INDEX `approvals_status` ON `approvals` (`status`,`createdAt`,`id`,`tenantId`);--> statement-breakpoint
CREATE INDEX `quota_counters_tenant` ON `quota_counters` (`tenantId`,`resourceType`);--> statement-breakpoint
CREATE INDEX `quotas_created` ON `quotas` (`createdAt`,`id`,`tenantId`);--> statement-breakpoint
UPDATE `provisioning_requests` SET `reserved` = JSON_OBJECT(
	'instances', 1,
	'vcpu', CAST(COALESCE(CASE resourceType WHEN 'VM' THEN JSON_VALUE(specification, '$.vcpu') + 0 WHEN 'DATABASE' THEN JSON_VALUE(specification, '$.vcpu') + 0 WHEN 'KUBERNETES' THEN (SELECT SUM(p.pieces * p.vcpu) FROM JSON_TABLE(specification, '$.nodePools[*]' COLUMNS (pieces BIGINT PATH '$.count', vcpu BIGINT PATH '$.vcpu')) p) END, 0) AS SIGNED),
	'memoryMb', CAST(COALESCE(CASE resourceType WHEN 'VM' THEN JSON_VALUE(specification, '$.memoryMb') + 0 WHEN 'DATABASE' THEN JSON_VALUE(specification, '$.memoryMb') + 0 WHEN 'KUBERNETES' THEN (SELECT SUM(p.pieces * p.memoryMb) FROM JSON_TABLE(specification, '$.nodePools[*]' COLUMNS (pieces BIGINT PATH '$.count', memoryMb BIGINT PATH '$.memoryMb')) p) END, 0) AS SIGNED),
	'storageGb', CAST(COALESCE(CASE resourceType WHEN 'VM' THEN JSON_VALUE(specification, '$.diskGb') + 0 WHEN 'DATABASE' THEN JSON_VALUE(specification, '$.storageGb') + 0 WHEN 'KUBERNETES' THEN (SELECT SUM(p.pieces * p.diskGb) FROM JSON_TABLE(specification, '$.nodePools[*]' COLUMNS (pieces BIGINT PATH '$.count', diskGb BIGINT PATH '$.diskGb')) p) WHEN 'VOLUME' THEN JSON_VALUE(specification, '$.sizeGb') + 0 WHEN 'OBJECT_STORAGE' THEN JSON_VALUE(specification, '$.quotaGb') + 0 END, 0) AS SIGNED),
	'publicIps', IF(`resourceType` = 'FLOATING_IP', 1, 0),
	'networks', IF(`resourceType` = 'NETWORK', 1, 0),
	'dnsZones', IF(`resourceType` = 'DNS_ZONE', 1, 0)
) WHERE `status` NOT IN ('REJECTED', 'FAILED', 'ROLLBACK_FAILED', 'DEPROVISIONED');--> statement-breakpoint
INSERT INTO `quota_counters` (`id`, `version`, `createdAt`, `updatedAt`, `tenantId`, `resourceType`, `used`)
SELECT LEFT(SHA2(CONCAT(`tenantId`, ' ', `resourceType`), 256), 36), 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), `tenantId`, `resourceType`, JSON_OBJECT(
	'instances', CAST(SUM(JSON_VALUE(`reserved`, '$.instances')) AS SIGNED),
	'vcpu', CAST(SUM(JSON_VALUE(`reserved`, '$.vcpu')) AS SIGNED),
	'memoryMb', CAST(SUM(JSON_VALUE(`reserved`, '$.memoryMb')) AS SIGNED),
	'storageGb', CAST(SUM(JSON_VALUE(`reserved`, '$.storageGb')) AS SIGNED),
	'publicIps', CAST(SUM(JSON_VALUE(`reserved`, '$.publicIps')) AS SIGNED),
	'networks', CAST(SUM(JSON_VALUE(`reserved`, '$.networks')) AS SIGNED),
	'dnsZones', CAST(SUM(JSON_VALUE(`reserved`, '$.dnsZones')) AS SIGNED)
) FROM `provisioning_requests` WHERE `reserved` IS NOT NULL GROUP BY `tenantId`, `resourceType`;--> statement-breakpoint
UPDATE `clusters` JOIN (
	SELECT `clusterId`, JSON_OBJECT(
		'vcpu', CAST(SUM(JSON_VALUE(`reserved`, '$.vcpu')) AS SIGNED),
		'memoryMb', CAST(SUM(JSON_VALUE(`reserved`, '$.memoryMb')) AS SIGNED),
		'storageGb', CAST(SUM(JSON_VALUE(`reserved`, '$.storageGb')) AS SIGNED),
		'instances', CAST(SUM(JSON_VALUE(`reserved`, '$.instances')) AS SIGNED)
	) AS `sums` FROM `provisioning_requests` WHERE `reserved` IS NOT NULL AND `clusterId` IS NOT NULL GROUP BY `clusterId`
) AS `held` ON `held`.`clusterId` = `clusters`.`id` SET `used` = `held`.`sums`;
