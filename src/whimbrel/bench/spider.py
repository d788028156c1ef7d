"""Scrapy as its manual teaches it: a CrawlSpider that stores each page's body, title and text.

Run by the Python of Scrapy's own environment: `spider.py SEED FOLDER MOST_PAGES`. It imports nothing of ours.
"""

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]
from scrapy.linkextractors import LinkExtractor  # type: ignore[import-not-found]
from scrapy.spiders import CrawlSpider, Rule  # type: ignore[import-not-found]


class PageSpider(CrawlSpider):  # type: ignore[misc]
    name = "pages"
    rules = (Rule(LinkExtractor(allow=(r"\.html$", r"/$")), callback="keep", follow=True),)

    def parse_start_url(self, response: Any, **_: Any) -> dict[str, str | None]:
        return self.keep(response)

    def keep(self, response: Any) -> dict[str, str | None]:
        return {
            "url": response.url,
            "title": response.xpath("//title/text()").get(),
            "text": " ".join(response.xpath("//body//text()").getall()),
            "body": response.text,
        }


def main(seed: str, folder: Path, most_pages: int) -> None:
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "AUTOTHROTTLE_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS": 32,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
            "CLOSESPIDER_PAGECOUNT": most_pages,
            "FEEDS": {str(folder / "pages.jsonl"): {"format": "jsonlines", "encoding": "utf8"}},
            "LOG_LEVEL": "ERROR",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    crawler = process.create_crawler(PageSpider)
    process.crawl(crawler, start_urls=[seed], allowed_domains=[urlsplit(seed).hostname])
    process.start()
    stats = crawler.stats.get_stats()
    (folder / "stats.json").write_text(json.dumps({name: str(value) for name, value in stats.items()}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
