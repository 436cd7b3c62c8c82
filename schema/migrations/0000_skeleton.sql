CREATE TABLE `api_keys` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`tenantId` char(36) character set ascii collate ascii_bin NOT NULL,
	`name` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	`kind` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`keyHash` char(64) character set ascii collate ascii_bin NOT NULL,
	`createdBy` varbinary(256) NOT NULL,
	`lastUsedAt` datetime(3),
	CONSTRAINT `api_keys_id` PRIMARY KEY(`id`),
	CONSTRAINT `api_keys_hash` UNIQUE(`keyHash`)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`userId` char(36) character set ascii collate ascii_bin NOT NULL,
	`tokenHash` char(64) character set ascii collate ascii_bin NOT NULL,
	`expiresAt` datetime(3) NOT NULL,
	`endedAt` datetime(3),
	CONSTRAINT `sessions_id` PRIMARY KEY(`id`),
	CONSTRAINT `sessions_token` UNIQUE(`tokenHash`)
);
--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`publicJwk` json NOT NULL,
	`sealedPrivateKey` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	CONSTRAINT `signing_keys_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`name` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	CONSTRAINT `tenants_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`tenantId` char(36) character set ascii collate ascii_bin NOT NULL,
	`email` varbinary(1016) NOT NULL,
	`name` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	`roles` json NOT NULL,
	`passwordHash` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`emailVerified` boolean NOT NULL,
	`mfaEnabled` boolean NOT NULL,
	`disabled` boolean NOT NULL,
	`lockedUntil` datetime(3),
	`lastLoginAt` datetime(3),
	CONSTRAINT `users_id` PRIMARY KEY(`id`),
	CONSTRAINT `users_email` UNIQUE(`email`)
);
--> statement-breakpoint
CREATE TABLE `clusters` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`name` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	`type` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`region` varchar(100) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	`supportedResourceTypes` json,
	`isDefault` boolean NOT NULL,
	`provisioningEnabled` boolean NOT NULL,
	`metadata` json NOT NULL,
	CONSTRAINT `clusters_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `provisioning_requests` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`tenantId` varbinary(256) NOT NULL,
	`orderId` varbinary(256) NOT NULL,
	`orderItemId` varbinary(256) NOT NULL,
	`resourceType` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`specification` json NOT NULL,
	`metadata` json NOT NULL,
	`status` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`currentStep` varchar(40) character set ascii collate ascii_bin,
	`steps` json NOT NULL,
	`retryCount` tinyint NOT NULL,
	`maxRetries` tinyint NOT NULL,
	`clusterId` char(36) character set ascii collate ascii_bin,
	`clusterType` varchar(40) character set ascii collate ascii_bin,
	`access` json,
	`sealedCredentials` json,
	`error` json,
	`settledStatus` varchar(40) character set ascii collate ascii_bin,
	`leftovers` json NOT NULL,
	`createdBy` varbinary(256) NOT NULL,
	CONSTRAINT `provisioning_requests_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `applied_events` (
	`eventId` char(36) character set ascii collate ascii_bin NOT NULL,
	`group` varbinary(240) NOT NULL,
	`at` datetime(3) NOT NULL,
	CONSTRAINT `applied_events_eventId_group_pk` PRIMARY KEY(`eventId`,`group`)
);
--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`recordId` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`at` datetime(3) NOT NULL,
	`actorId` varbinary(256) NOT NULL,
	`actorKind` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`command` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`from` varchar(40) character set ascii collate ascii_bin,
	`to` varchar(40) character set ascii collate ascii_bin,
	`step` varchar(40) character set ascii collate ascii_bin,
	`detail` json,
	`requestId` varbinary(512) NOT NULL,
	`correlationId` varbinary(512) NOT NULL,
	CONSTRAINT `audit_entries_recordId_version_pk` PRIMARY KEY(`recordId`,`version`)
);
--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`topic` varbinary(400) NOT NULL,
	`group` varbinary(240) NOT NULL,
	`eventId` char(36) character set ascii collate ascii_bin NOT NULL,
	`eventType` varbinary(400) NOT NULL,
	`envelope` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`attempts` int NOT NULL,
	`firstFailedAt` datetime(3) NOT NULL,
	`lastFailedAt` datetime(3) NOT NULL,
	`error` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`status` varchar(40) character set ascii collate ascii_bin NOT NULL,
	CONSTRAINT `dead_letters_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `idempotent_answers` (
	`id` char(64) character set ascii collate ascii_bin NOT NULL,
	`fingerprint` char(64) character set ascii collate ascii_bin NOT NULL,
	`status` smallint NOT NULL,
	`sealedAnswer` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	CONSTRAINT `idempotent_answers_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` bigint unsigned AUTO_INCREMENT NOT NULL,
	`kind` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`key` varbinary(256) NOT NULL,
	`payload` json,
	`dueAt` datetime(3) NOT NULL,
	`attempt` int unsigned NOT NULL DEFAULT 0,
	`revision` int unsigned NOT NULL DEFAULT 1,
	`leaseOwner` varchar(40) character set ascii collate ascii_bin,
	`leaseUntil` datetime(3),
	`error` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`requestId` varbinary(512) NOT NULL,
	`correlationId` varbinary(512) NOT NULL,
	CONSTRAINT `jobs_id` PRIMARY KEY(`id`),
	CONSTRAINT `jobs_kind_key` UNIQUE(`kind`,`key`)
);
--> statement-breakpoint
CREATE TABLE `bus_marks` (
	`name` varbinary(400) NOT NULL,
	`seq` bigint unsigned NOT NULL,
	CONSTRAINT `bus_marks_name` PRIMARY KEY(`name`)
);
--> statement-breakpoint
CREATE TABLE `outbox_events` (
	`id` bigint unsigned AUTO_INCREMENT NOT NULL,
	`seq` bigint unsigned NOT NULL DEFAULT 0,
	`eventId` char(36) character set ascii collate ascii_bin NOT NULL,
	`topic` varbinary(400) NOT NULL,
	`correlationId` varbinary(512) NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`envelope` mediumtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	CONSTRAINT `outbox_events_id` PRIMARY KEY(`id`)
);
--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenantId`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`userId`);--> statement-breakpoint
CREATE INDEX `users_tenant` ON `users` (`tenantId`);--> statement-breakpoint
CREATE INDEX `clusters_type` ON `clusters` (`type`);--> statement-breakpoint
CREATE INDEX `provisioning_requests_tenant` ON `provisioning_requests` (`tenantId`,`createdAt`,`id`);--> statement-breakpoint
CREATE INDEX `provisioning_requests_created` ON `provisioning_requests` (`createdAt`,`id`);--> statement-breakpoint
CREATE INDEX `provisioning_requests_order` ON `provisioning_requests` (`orderId`);--> statement-breakpoint
CREATE INDEX `provisioning_requests_cluster` ON `provisioning_requests` (`clusterId`,`createdAt`);--> statement-breakpoint
CREATE INDEX `provisioning_requests_status` ON `provisioning_requests` (`status`,`createdAt`);--> statement-breakpoint
CREATE INDEX `applied_events_at` ON `applied_events` (`at`);--> statement-breakpoint
CREATE INDEX `dead_letters_status` ON `dead_letters` (`status`,`createdAt`);--> statement-breakpoint
CREATE INDEX `idempotent_answers_created` ON `idempotent_answers` (`createdAt`);--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`dueAt`);--> statement-breakpoint
CREATE INDEX `jobs_owner` ON `jobs` (`leaseOwner`);--> statement-breakpoint
CREATE INDEX `outbox_events_seq` ON `outbox_events` (`seq`);--> statement-breakpoint
CREATE INDEX `outbox_events_correlation` ON `outbox_events` (`correlationId`);--> statement-breakpoint
CREATE INDEX `outbox_events_created` ON `outbox_events` (`createdAt`);