<?php
// Says to WordPress what a test wants of it: install URL, post TITLE [WHEN] (text on stdin), edit ID (text on stdin),
// comment POST WORDS NAME (without a name nobody's: no address either). Prints the number of what it made.
[, $root, $verb] = $argv;
if ($verb === 'install') define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = parse_url($argv[3] ?? 'http://127.0.0.1', PHP_URL_HOST);
require "$root/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_set_current_user(1);
$made = 0;
switch ($verb) {
    case 'install':
        wp_install('Garden Notes', 'admin', 'admin@example.org', true, '', 'Kept-Pages-8');
        update_option('siteurl', rtrim($argv[3], '/'));
        update_option('home', rtrim($argv[3], '/'));
        break;
    case 'post':
        $post = ['post_title' => $argv[3], 'post_content' => stream_get_contents(STDIN), 'post_status' => 'publish'];
        // A minute apart unless told: of two posts of one second the database gives now the one first, now the other.
        $post['post_date'] = $argv[4] ?? date('Y-m-d H:i:s', time() - 86400 + 60 * (int) wp_count_posts()->publish);
        $made = wp_insert_post($post, true);
        break;
    case 'edit':
        $made = wp_update_post(['ID' => (int) $argv[3], 'post_content' => stream_get_contents(STDIN)], true);
        break;
    case 'comment':
        $name = $argv[5] ?? 'A reader';
        $comment = ['comment_post_ID' => (int) $argv[3], 'comment_content' => $argv[4], 'comment_approved' => 1];
        $made = wp_insert_comment($comment + ['comment_author' => $name, 'comment_author_email' => $name ? md5($name) . '@example.org' : '']);
        break;
}
if (is_wp_error($made)) { fwrite(STDERR, $made->get_error_message()); exit(1); }
echo $made;
