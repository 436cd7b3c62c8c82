CREATE TABLE `products` (
	`id` char(36) character set ascii collate ascii_bin NOT NULL,
	`version` int unsigned NOT NULL,
	`createdAt` datetime(3) NOT NULL,
	`updatedAt` datetime(3) NOT NULL,
	`sku` varbinary(256) NOT NULL,
	`name` varchar(200) character set utf8mb4 collate utf8mb4_unicode_ci NOT NULL,
	`description` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`category` varbinary(256) NOT NULL,
	`status` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`specs` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`monthlyPrice` decimal(11,2) NOT NULL,
	`hourlyPrice` decimal(15,6),
	`unitPrice` decimal(11,2),
	`currency` varchar(40) character set ascii collate ascii_bin NOT NULL,
	`annualDiscount` decimal(11,2) NOT NULL,
	`tier` varchar(40) character set ascii collate ascii_bin,
	`features` longtext character set utf8mb4 collate utf8mb4_bin NOT NULL,
	`isPopular` boolean NOT NULL,
	`sortOrder` int NOT NULL,
	`ctaText` varchar(100) character set utf8mb4 collate utf8mb4_unicode_ci,
	`ctaAction` mediumtext character set utf8mb4 collate utf8mb4_bin,
	`ordered` boolean NOT NULL,
	CONSTRAINT `products_id` PRIMARY KEY(`id`),
	CONSTRAINT `products_sku` UNIQUE(`sku`)
);
--> statement-breakpoint
CREATE INDEX `products_sort_order` ON `products` (`sortOrder`,`id`,`status`,`category`);--> statement-breakpoint
CREATE INDEX `products_name` ON `products` (`name`,`id`,`status`,`category`);--> statement-breakpoint
CREATE INDEX `products_price` ON `products` (`monthlyPrice`,`id`,`status`,`category`);--> statement-breakpoint
CREATE INDEX `products_created` ON `products` (`createdAt`,`id`,`status`,`category`);--> statement-breakpoint
CREATE INDEX `products_status` ON `products` (`status`,`category`);--> statement-breakpoint
CREATE INDEX `products_version` ON `products` (`version`);